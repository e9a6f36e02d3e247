package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// pattern says which functions are mutated.
type pattern struct {
	files  string   // of path.Match, from the root of the repository
	except []string // names of files that are left out
	funcs  []string // named as in the table; nil for all
}

// mutated are the shortcuts of spread, which let an answer be made without CUE,
// and the loader. A pattern without any file is an error, so that whoever renames
// one comes by here.
var mutated = []pattern{
	{files: "spread/partial/*.go"},
	{files: "spread/compute/*.go"},
	{files: "spread/reading.go"},
	{files: "spread/closed.go"},
	{files: "internal/fromcue/literal.go"},
	{files: "spread/slice.go"},
	{files: "spread/source/library.go"},
	{files: "spread/source/names.go", funcs: []string{"Package.ArtifactOf", "Package.Definitions", "Package.ImportOf"}},
	{files: "spread/source/package.go", funcs: []string{"Package.Source"}},
	{files: "spread/source/within.go", funcs: []string{"Package.HasChoice", "Package.JoinsDefaults", "Package.has"}},
	{files: "spread/rewrite/*.go"},
	{files: "spread/apart.go"},
	{files: "spread/asides.go"},
	{files: "spread/decided.go"},
	{files: "spread/depends/*.go", except: []string{"uses.go"}},
	{files: "spread/stubbable.go"},
	{files: "spread/context.go"},
	{files: "spread/memory.go"},
	{files: "spread/spread.go"},
	{files: "spread/run.go", funcs: []string{"Runner.kept"}},
	{files: "load/*.go", except: []string{"lock.go", "memory.go", "sources.go", "survey.go", "values.go", "values_reference.go", "values_yaml.go"}},
}

// source is a file with functions that are mutated.
type source struct {
	name  string // from the root of the repository
	path  string // absolute
	text  string
	file  *ast.File
	fset  *token.FileSet
	pkg   *types.Package
	info  *types.Info
	funcs []*ast.FuncDecl
}

// load parses and checks the packages of the patterns, and returns their files,
// sorted by name.
func load(root string, patterns []pattern) ([]*source, error) {
	var dirs []string
	for _, p := range patterns {
		dirs = append(dirs, "./"+filepath.Dir(p.files))
	}
	slices.Sort(dirs)
	pkgs, err := packages.Load(&packages.Config{
		Dir:  root,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo,
	}, slices.Compact(dirs)...)
	if err != nil {
		return nil, err
	}
	var out []*source
	for _, p := range pkgs {
		if len(p.Errors) > 0 {
			return nil, p.Errors[0]
		}
		for i, f := range p.Syntax {
			s, err := newSource(root, p.CompiledGoFiles[i])
			if err != nil {
				return nil, err
			}
			s.file, s.fset, s.pkg, s.info = f, p.Fset, p.Types, p.TypesInfo
			if s.choose(patterns); len(s.funcs) > 0 {
				out = append(out, s)
			}
		}
	}
	slices.SortFunc(out, func(a, b *source) int { return strings.Compare(a.name, b.name) })
	return out, unmatched(out, patterns)
}

func newSource(root, path string) (*source, error) {
	name, err := filepath.Rel(root, path)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	return &source{name: filepath.ToSlash(name), path: path, text: string(text)}, err
}

// choose finds the functions that the patterns name.
func (s *source) choose(patterns []pattern) {
	for _, d := range s.file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if ok && f.Body != nil && slices.ContainsFunc(patterns, func(p pattern) bool { return p.matches(s.name, funcName(f)) }) {
			s.funcs = append(s.funcs, f)
		}
	}
}

func (p pattern) matches(file, fn string) bool {
	ok, err := filepath.Match(p.files, file)
	return err == nil && ok && !slices.Contains(p.except, filepath.Base(file)) && (p.funcs == nil || slices.Contains(p.funcs, fn))
}

// unmatched is the error of the first pattern, or function of one, that is not
// there.
func unmatched(sources []*source, patterns []pattern) error {
	for _, p := range patterns {
		for _, fn := range orAny(p.funcs) {
			if !slices.ContainsFunc(sources, func(s *source) bool {
				return slices.ContainsFunc(s.funcs, func(f *ast.FuncDecl) bool {
					return p.matches(s.name, funcName(f)) && (fn == "" || fn == funcName(f))
				})
			}) {
				return fmt.Errorf("nothing is called %s %s: bring the patterns of internal/mutants up to date", p.files, fn)
			}
		}
	}
	return nil
}

func orAny(names []string) []string {
	if names == nil {
		return []string{""}
	}
	return names
}

// funcName is a function's name: "outline", or "runner.lean" for a method.
func funcName(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return f.Name.Name
	}
	t := f.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if index, ok := t.(*ast.IndexExpr); ok {
		t = index.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name + "." + f.Name.Name
	}
	return f.Name.Name
}

// span is the text of a node, from offset to offset.
type span struct{ from, to int }

func (s *source) span(n ast.Node) span {
	return span{s.fset.Position(n.Pos()).Offset, s.fset.Position(n.End()).Offset}
}

// of is the text of a node as it is written.
func (s *source) of(n ast.Node) string {
	at := s.span(n)
	return s.text[at.from:at.to]
}
