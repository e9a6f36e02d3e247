package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/diag"
)

// printProblems writes one line a problem, with related places indented below
// it, and returns errWrong or errBug if one of them is an error.
func printProblems(w io.Writer, problems diag.List) error {
	cwd, _ := os.Getwd() // without it, names stay absolute
	var result error
	for _, d := range problems {
		severity := ""
		switch {
		case d.Code == diag.Internal:
			result = errBug
		case d.Severity == diag.Warning:
			severity = "warning: "
		case result == nil:
			result = errWrong
		}
		fmt.Fprintf(w, "%s%s%s [%s]\n", place(d.Pos, cwd), severity, d.Message, d.Code)
		if d.Code == diag.Internal && d.Cause != nil {
			fmt.Fprintf(w, "%v\n", d.Cause)
		}
		for _, r := range d.Related {
			fmt.Fprintf(w, "    %s%s\n", place(r.Pos, cwd), r.Message)
		}
	}
	return result
}

// place is "file:line:col: ", the file relative to cwd where it lies below it;
// "" for no place.
func place(pos token.Pos, cwd string) string {
	if !pos.IsValid() {
		return ""
	}
	p := pos.Position()
	name := p.Filename
	if rel, err := filepath.Rel(cwd, name); err == nil && filepath.IsAbs(name) && (rel == ".." || !strings.HasPrefix(rel, "../../..")) {
		name = filepath.ToSlash(rel)
	}
	return fmt.Sprintf("%s:%d:%d: ", name, p.Line, p.Column)
}
