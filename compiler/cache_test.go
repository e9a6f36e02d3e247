package compiler_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"kumiki.dev/compiler"
	"kumiki.dev/diag"
	"kumiki.dev/internal/benchapp"
	"kumiki.dev/internal/golden"
	_ "kumiki.dev/internal/repeatable"
)

func openCache(t require.TestingT, dir string) *compiler.Cache {
	c, err := compiler.OpenCache(dir)
	require.NoError(t, err)
	return c
}

// sameWithCache compiles with and without the cache and compares.
func sameWithCache(t require.TestingT, c *compiler.Cache, in compiler.Input) {
	want, problems := compiler.Compile(context.Background(), in)
	r, same, err := c.Run(context.Background(), in)
	require.NoError(t, err)
	require.Equal(t, said(problems), said(same))
	if want == nil {
		require.Nil(t, r.Encoded)
		return
	}
	require.Equal(t, want.Digest, r.Encoded.Digest)
	a, err := want.Bytes()
	require.NoError(t, err)
	require.Equal(t, string(a), string(r.Encoded.Bytes()))
}

func said(problems diag.List) []string {
	var out []string
	for _, d := range problems {
		out = append(out, fmt.Sprint(d.Pos.Position(), d.Code, d.Message))
	}
	return out
}

// TestCacheCases compiles every case twice with the same cache.
func TestCacheCases(t *testing.T) {
	dir := t.TempDir()
	golden.Each(t, "../testdata/cases/*.txtar", func(t *testing.T, c *golden.Case) {
		oneOfFive(t)
		cache := openCache(t, dir)
		sameWithCache(t, cache, inputOf(c))
		sameWithCache(t, cache, inputOf(c))
	})
}

// TestCache compiles random applications and what random edits make of them, all
// with one cache: the bytes and the problems are those without it.
func TestCache(t *testing.T) {
	dir, cached := filepath.Join(t.TempDir(), "app"), t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		a := genApp(t)
		for range 3 {
			var in compiler.Input
			a.write(t, dir, rapid.Uint64Range(1, 3).Draw(t, "order"))
			in.Dir = filepath.Join(dir, "deploy")
			in.Strict = rapid.Bool().Draw(t, "strict")
			// Equal edits come again, so that there is something to find.
			if n := rapid.IntRange(0, 3).Draw(t, "instances"); n > 0 {
				in.Sets = []string{"config.scale.detail" + strings.Repeat(".r0.detail", len(a.passes)-1) + fmt.Sprint(".r0.hsize=", n)}
			}
			sameWithCache(t, openCache(t, cached), in)
			switch rapid.SampledFrom([]string{"given", "default", "passes", "broken", "damage"}).Draw(t, "edit") {
			case "given":
				a.given = rapid.IntRange(1, 9).Draw(t, "given")
			case "default":
				a.defaults[rapid.IntRange(0, len(a.defaults)-1).Draw(t, "level")] = rapid.IntRange(1, 9).Draw(t, "default")
			case "passes":
				level := rapid.IntRange(0, len(a.passes)-1).Draw(t, "level")
				a.passes[level] = !a.passes[level]
			case "broken":
				a.given = 0 // perhaps nothing says what it is
				a.defaults[0] = 0
			case "damage":
				damage(t, cached)
			}
		}
	})
}

// damage shortens some of the cache's files.
func damage(t *rapid.T, dir string) {
	files, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	require.NoError(t, err)
	for range min(3, len(files)) {
		require.NoError(t, os.Truncate(rapid.SampledFrom(files).Draw(t, "file"), 40))
	}
}

// TestCacheWork counts what is left to do after an edit: the services around it,
// and nothing where there is none.
func TestCacheWork(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, benchapp.Nested(3, 4, true).Kumiki().Write(dir))
	var in compiler.Input
	in.Dir = filepath.Join(dir, benchapp.Deploy)
	cached := t.TempDir()
	entries := func() int {
		files, err := filepath.Glob(filepath.Join(cached, "*", "*"))
		require.NoError(t, err)
		return len(files)
	}
	sameWithCache(t, openCache(t, cached), in)
	require.Equal(t, 1+4, entries(), "the 16 small ones are within theirs")
	sameWithCache(t, openCache(t, cached), in)
	require.Equal(t, 1+4, entries())
	in.Sets = []string{"config.scale.detail.r0001.detail.r0002.detail.r0003.hsize=7"}
	sameWithCache(t, openCache(t, cached), in)
	require.Equal(t, 1+4+2, entries(), "a leaf is within two that are large enough")
}

// TestCacheKilled has eight processes at once on one cache, each killed at some
// moment and begun again. None of them ever gives other bytes, and nothing they
// leave makes anybody else give other bytes.
func TestCacheKilled(t *testing.T) {
	t.Parallel()
	dir, cached := t.TempDir(), t.TempDir()
	require.NoError(t, benchapp.Nested(3, 4, true).Kumiki().Write(dir))
	want := map[string]string{}
	for n := range helpersInputs {
		sol, problems := compiler.Compile(context.Background(), helpersInput(dir, n))
		require.Empty(t, problems)
		want[fmt.Sprint(n)] = sol.Digest
	}
	var all sync.WaitGroup
	for p := range 8 {
		all.Go(func() {
			order := rand.New(rand.NewPCG(1, uint64(p)))
			whole := time.Minute // how long it takes one that nobody kills
			for range 6 {
				n := fmt.Sprint(order.IntN(helpersInputs))
				ctx, cancel := context.WithTimeout(context.Background(), whole)
				start := time.Now()
				cmd := exec.CommandContext(ctx, os.Args[0])
				cmd.Env = append(os.Environ(), helper+"="+strings.Join([]string{dir, cached, n}, "\n"))
				out, err := cmd.Output()
				killed := ctx.Err() != nil
				cancel()
				if !killed && (err != nil || !strings.Contains(string(out), want[n])) {
					t.Errorf("input %s: want %s, got %v\n%s", n, want[n], err, out)
				}
				whole = time.Duration(order.Int64N(int64(2 * time.Since(start))))
			}
		})
	}
	all.Wait()
	for n := range helpersInputs {
		sameWithCache(t, openCache(t, cached), helpersInput(dir, n))
	}
}

// helper is the variable that makes the tests' binary a process of TestCacheKilled.
const helper = "KUMIKI_TEST_CACHE"

const helpersInputs = 4

func helpersInput(dir string, n int) compiler.Input {
	in := compiler.Input{Sets: []string{fmt.Sprintf("config.scale.detail.r0001.detail.r0002.detail.r000%d.hsize=7", n)}}
	in.Dir = filepath.Join(dir, benchapp.Deploy)
	return in
}

func TestMain(m *testing.M) {
	if fewer {
		_ = flag.Set("rapid.checks", "10") // of 100
	}
	args, ok := os.LookupEnv(helper)
	if !ok {
		os.Exit(m.Run())
	}
	if err := help(strings.Split(args, "\n")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// help compiles with the cache, as kumiki does, and prints the digest.
func help(args []string) error {
	n, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	c, err := compiler.OpenCache(args[1])
	if err != nil {
		return err
	}
	r, problems, err := c.Run(context.Background(), helpersInput(args[0], n))
	if err != nil || len(problems) > 0 {
		return fmt.Errorf("%v %v", err, problems)
	}
	fmt.Println(r.Encoded.Digest)
	return nil
}
