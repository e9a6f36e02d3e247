// Command storebench saves many solutions of examples/shop and asks about them with the
// kumiki that is named, each question as a process of its own: once when nothing has
// been derived yet, and again. It prints what that took, with the load of the machine.
//
//	go run ./internal/storebench [-n 1000] ./kumiki ./rusage
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"kumiki.dev/compiler"
	"kumiki.dev/history"
	"kumiki.dev/load"
	"kumiki.dev/module/bundle"
	"kumiki.dev/solution"
)

// questions are the command lines, with STORE for the directory.
var questions = []string{
	"types STORE",
	"instances shop/web STORE",
	"owner StatefulSet/shop0500-api STORE -t kubernetes",
	"order STORE",
	"dependents shop0500 --solutions STORE",
	"stale STORE",
	"links STORE",
	"graph STORE",
	"graph saved:shop0500 --solutions STORE",
	"layout saved:shop0500 -t kubernetes --solutions STORE",
	"lower saved:shop0500 -t kubernetes --solutions STORE",
	"saved show shop0500 --input --solutions STORE",
	"saved history --solutions STORE",
	// These compile, or look at all objects.
	"why saved:shop0500 web.config.parameter.title --solutions STORE",
	"unused saved:shop0500 --solutions STORE",
	"impact saved:shop0500 config.parameter.title --solutions STORE",
	"impact STORE shop/web",
	"lower STORE -t kubernetes",
}

func main() {
	n := flag.Int("n", 1000, "how many solutions")
	flag.Parse()
	if err := run(*n, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(n int, args []string) error {
	if len(args) != 2 {
		return errors.New("usage: storebench [-n N] KUMIKI RUSAGE")
	}
	dir, err := os.MkdirTemp("", "storebench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	store := filepath.Join(dir, "solutions")
	size, err := fill(store, n)
	if err != nil {
		return err
	}
	fmt.Printf("%d solutions of %d bytes\n%-55s %8s %8s %8s\n", n, size, "", "ms", "CPU ms", "MB")
	for _, q := range questions {
		for _, when := range []string{"first", "again"} {
			took, err := ask(dir, store, q, args)
			if err != nil {
				return fmt.Errorf("%s: %w", q, err)
			}
			fmt.Printf("%-49s %s %8.0f %8.0f %8.0f\n", q, when, took.Wall*1000, took.CPU*1000, float64(took.Peak)/1024)
		}
	}
	load, err := os.ReadFile("/proc/loadavg")
	fmt.Printf("load %s", load)
	return err
}

// fill saves n solutions, every tenth of which hangs from the one before and takes a value from
// it, and returns the size of one.
func fill(store string, n int) (size int, err error) {
	memory := load.NewMemory()
	for i := range n {
		in := compiler.Input{LoadInput: compiler.LoadInput{Dir: "examples/shop/deploy", Memory: memory}, Name: fmt.Sprintf("shop%04d", i)}
		sol, problems := compiler.Compile(context.Background(), in)
		if problems.HasErrors() {
			return 0, errors.New(problems[0].Message)
		}
		if i%10 == 9 {
			up := fmt.Sprintf("shop%04d", i-1)
			sol.Deployments[sol.Top].Up, sol.Digest = &up, ""
			sol.Inputs.References = []solution.Reference{{At: "config.parameter.title", Deployment: up, Field: "config.parameter.title"}}
		}
		input, err := bundle.Of(context.Background(), in, sol)
		if err != nil {
			return 0, err
		}
		if _, _, err := history.Open(store).Save(sol, history.Input{Bundle: input, Kumiki: "v0"}); err != nil {
			return 0, err
		}
		data, err := sol.Bytes()
		if err != nil {
			return 0, err
		}
		size = len(data)
	}
	return size, nil
}

// took is what a command took, as rusage writes it.
type took struct {
	Wall float64 `json:"wall"`
	CPU  float64 `json:"cpu"`
	Peak int64   `json:"peak"`
}

func ask(dir, store, question string, args []string) (t took, err error) {
	file := filepath.Join(dir, "took.json")
	words := strings.Fields(strings.ReplaceAll(question, "STORE", store))
	cmd := exec.Command(args[1], append([]string{file, args[0]}, words...)...)
	cmd.Stdout, cmd.Stderr = io.Discard, io.Discard
	if err := cmd.Run(); err != nil {
		return t, err
	}
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &t)
	}
	return t, err
}
