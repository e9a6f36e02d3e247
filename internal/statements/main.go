// Command statements counts the statements of a module's Go code, by package and in
// all: a figure for how much there is to understand, which neither comments nor the
// breaking of lines change. Tests, test data and nested modules are left out.
//
//	go run ./internal/statements [DIR]
package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	dir := "."
	if len(os.Args) > 1 {
		dir = os.Args[1]
	}
	if err := run(os.Stdout, dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run prints a line for each package, those with the most first, and then the sum.
func run(w io.Writer, dir string) error {
	counts := map[string]int{}
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && name != dir && skipped(name):
			return fs.SkipDir
		case e.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		n, err := count(name)
		pkg, _ := filepath.Rel(dir, filepath.Dir(name)) // name is below dir
		counts[filepath.ToSlash(pkg)] += n
		return err
	})
	if err != nil {
		return err
	}
	total := 0
	var packages []string
	for pkg, n := range counts {
		total += n
		packages = append(packages, pkg)
	}
	slices.SortFunc(packages, func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	for _, pkg := range packages {
		if _, err := fmt.Fprintf(w, "%6d %s\n", counts[pkg], pkg); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(w, "%6d in all\n", total)
	return err
}

// skipped reports whether a directory has none of the module's code.
func skipped(dir string) bool {
	base := filepath.Base(dir)
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil || base == "testdata" || base == "node_modules" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_")
}

// count is the number of statements in a file. What only holds others together, a
// block, a label or the case of a switch, is none.
func count(name string) (n int, err error) {
	f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
	if err != nil {
		return 0, err
	}
	ast.Inspect(f, func(node ast.Node) bool {
		switch node.(type) {
		case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause, *ast.LabeledStmt, *ast.EmptyStmt:
		case ast.Stmt:
			n++
		}
		return true
	})
	return n, nil
}
