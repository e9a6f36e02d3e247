// Program site writes the documentation as plain HTML pages with a search, and
// refuses to if a link in it leads nowhere.
//
//	go run . -from .. -out ../dist/site
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	from := flag.String("from", "..", "`directory` of the repository")
	out := flag.String("out", "../dist/site", "`directory` to write to")
	flag.Parse()
	if err := run(*from, *out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run builds the site and writes it, or writes nothing if a link is broken.
func run(from, out string) error {
	files, err := build(os.DirFS(from))
	if err != nil {
		return err
	}
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		at := filepath.Join(out, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(at, files[name], 0o644); err != nil {
			return err
		}
	}
	fmt.Printf("%d files in %s; begin with %s\n", len(names), out, filepath.Join(out, "index.html"))
	return nil
}

// brokenError lists the links that lead nowhere.
type brokenError []string

func (e brokenError) Error() string {
	return fmt.Sprintf("%d links lead nowhere:\n%s", len(e), strings.Join(e, "\n"))
}
