package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"kumiki.dev/internal/benchapp"
)

// took is what a command took.
type took struct {
	Wall float64 // seconds
	CPU  float64 // seconds, user and system
	Peak float64 // kB
}

// result is what the contenders took for a case: the least of all rounds.
type result struct {
	benchapp.Case
	by map[string]took
}

// limit is how long a command may run; what takes longer has no figure.
const limit = time.Minute

// measure runs all contenders in turn, several rounds, so that whatever else the
// machine does hits all of them alike: at least two, unless one takes long, and
// more while there is time in the budget.
func (t tools) measure(c benchapp.Case, quick bool) (map[string]took, error) {
	rounds, budget, long := 5, 20*time.Second, 40*time.Second
	if quick {
		rounds, budget, long = 3, time.Second, time.Second
	}
	root, err := t.prepare(c)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(root)
	best := map[string]took{}
	start := time.Now()
	for round := range rounds {
		if spent := time.Since(start); round >= 2 && spent > budget || round == 1 && spent > long {
			break
		}
		for _, x := range contenders {
			if _, ran := best[x.name]; !x.in(c) || round > 0 && !ran {
				continue
			}
			if x.name == edited {
				if err := c.New().Edit(round + 2).Write(filepath.Join(root, x.dir)); err != nil {
					return nil, err
				}
			}
			now, err := t.run(x, root)
			if errors.Is(err, context.DeadlineExceeded) {
				delete(best, x.name)
				continue
			}
			if err != nil {
				return nil, err
			}
			best[x.name] = least(best[x.name], now)
		}
		fmt.Fprintf(os.Stderr, "%-20s round %d, %v\n", c.Name(), round+1, time.Since(start).Round(time.Second/10))
	}
	return best, nil
}

func least(a, b took) took {
	if a == (took{}) {
		return b
	}
	return took{min(a.Wall, b.Wall), min(a.CPU, b.CPU), min(a.Peak, b.Peak)}
}

// run measures one command. What it writes goes nowhere; caches are empty.
func (t tools) run(x contender, root string) (took, error) {
	ctx, cancel := context.WithTimeout(context.Background(), max(limit, x.limit))
	defer cancel()
	file := filepath.Join(root, "took.json")
	said, err := os.Create(filepath.Join(root, "stderr"))
	if err != nil {
		return took{}, err
	}
	defer said.Close()
	cache, err := os.MkdirTemp(filepath.Join(root, "cache"), "")
	if err != nil {
		return took{}, err
	}
	cmd := exec.CommandContext(ctx, t.bin("rusage"), append([]string{file, t.bin(x.command[0])}, x.command[1:]...)...)
	cmd.Dir, cmd.Stderr = filepath.Join(root, x.dir), said
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+cache, "CUE_REGISTRY=none")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // so that what rusage runs ends with it
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	if err := cmd.Run(); ctx.Err() != nil {
		return took{}, ctx.Err()
	} else if err != nil {
		text, _ := os.ReadFile(said.Name())
		return took{}, fmt.Errorf("%s: %w\n%.2000s", x.name, err, text)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return took{}, err
	}
	var now took
	return now, json.Unmarshal(data, &now)
}
