package moduletest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/parser"

	"kumiki.dev/diag"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/load"
)

// factsPattern matches the files that state facts: CUE leaves them out of the
// package.
const factsPattern = "*_test.cue"

// maxFacts bounds a file of facts.
const maxFacts = 1 << 20

// facts checks what the case's *_test.cue files say of the solution: each field
// in them has to be there, and each value to be one that they allow.
func (c *Case) facts(got []byte, texts load.Texts) diag.List {
	names, err := filepath.Glob(filepath.Join(globEscape(c.dir), factsPattern))
	if err != nil || len(names) == 0 {
		return nil
	}
	ctx := cuecontext.New()
	solution := ctx.CompileBytes(got)
	var problems diag.List
	for _, name := range names {
		fact, bad := compileFacts(ctx, name, texts)
		problems = append(problems, bad...)
		if bad == nil {
			problems = append(problems, checkFact(nil, fact, solution)...)
		}
	}
	return problems
}

// globEscape makes a directory's name a pattern that matches itself.
func globEscape(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

func compileFacts(ctx *cue.Context, name string, texts load.Texts) (cue.Value, diag.List) {
	bad := func(err error) diag.List { return fromcue.Problems(diag.BadFacts, err) }
	info, err := os.Stat(name)
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxFacts) {
		err = fmt.Errorf("%s is expected to be a file of no more than %d bytes", filepath.Base(name), maxFacts)
	}
	if err != nil {
		return cue.Value{}, diag.List{diag.New(diag.BadFacts, diag.NoPos, "%v", err)}
	}
	file, err := parser.ParseFile(name, nil, parser.ParseComments)
	if err != nil {
		return cue.Value{}, bad(err)
	}
	texts.File(file)
	for spec := range file.ImportSpecs() {
		if p := ast.ParseImportPath(strings.Trim(spec.Path.Value, `"`)).Path; strings.Contains(p, ".") || p == "tool" || strings.HasPrefix(p, "tool/") {
			return cue.Value{}, diag.List{diag.New(diag.BadFacts, fromcue.Pos(spec), "facts import packages of CUE only, such as \"strings\"; found %s", spec.Path.Value)}
		}
	}
	v := ctx.BuildFile(file)
	if err := v.Err(); err != nil {
		return cue.Value{}, bad(err)
	}
	return v, nil
}

// checkFact goes down the fact: a struct's fields are looked up one by one, so that
// one that is absent is told from one that is wrong.
func checkFact(at []string, fact, got cue.Value) diag.List {
	name := strings.Join(at, ".")
	if fact.IncompleteKind() != cue.StructKind || got.Kind() != cue.StructKind {
		return checkLeaf(name, fact, got)
	}
	it, err := fromcue.Fields(fact, cue.Optional(true))
	if err != nil {
		return fromcue.Problems(diag.BadFacts, err)
	}
	var problems diag.List
	for it.Next() {
		label := it.Name()
		below := got.LookupPath(cue.MakePath(cue.Str(label)))
		path := append(at[:len(at):len(at)], label)
		switch {
		case below.Exists():
			problems = append(problems, checkFact(path, it.Value(), below)...)
		case !it.IsOptional():
			problems = append(problems, diag.New(diag.Fact, fromcue.Pos(it.Value()), "%s: expected %s, found no such field in the solution%s", strings.Join(path, "."), text(it.Value()), siblings(label, got)))
		}
	}
	if problems == nil && !closedAgainst(fact, got) {
		problems = checkLeaf(name, fact, got)
	}
	return problems
}

// closedAgainst reports whether the struct as a whole agrees: patterns and
// closedness concern fields that the fact does not name.
func closedAgainst(fact, got cue.Value) bool { return fact.Unify(got).Validate() == nil }

func checkLeaf(name string, fact, got cue.Value) diag.List {
	err := fact.Unify(got).Validate(cue.Concrete(true))
	if err == nil {
		return nil
	}
	if got.Kind() == cue.StructKind && fact.IncompleteKind() == cue.StructKind {
		var problems diag.List
		for _, e := range errors.Errors(err) {
			problems = append(problems, diag.New(diag.Fact, fromcue.Pos(fact), "%s: %v", name, e))
		}
		return problems
	}
	return diag.List{diag.New(diag.Fact, fromcue.Pos(fact), "%s: expected %s, found %s", name, text(fact), text(got))}
}

func siblings(label string, got cue.Value) string {
	it, err := fromcue.Fields(got)
	if err != nil {
		return ""
	}
	var names []string
	for it.Next() {
		names = append(names, it.Name())
	}
	if best, ok := diag.Nearest(label, names); ok {
		return fmt.Sprintf("; did you mean %s?", best)
	}
	if len(names) == 0 || len(names) > maxDifferences {
		return ""
	}
	return "; there are " + strings.Join(names, ", ")
}

// text is a value in CUE on one line.
func text(v cue.Value) string {
	s := strings.Join(strings.Fields(fmt.Sprint(v)), " ")
	if r := []rune(s); len(r) > 80 {
		return string(r[:80]) + "…"
	}
	return s
}
