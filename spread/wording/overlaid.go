package wording

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"cuelang.org/go/cue"

	"kumiki.dev/diag"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/value"
)

// Overlaid says of problems with what the command line gives, and the manifest says otherwise,
// that it is the manifest that has to change: given is who gave what is at a place of values.
func Overlaid(problems diag.List, given map[diag.Pos]value.Origin, values *value.Data, manifest cue.Value) {
	for _, d := range problems {
		if d.Code != diag.Conflict || len(d.At) == 0 {
			continue
		}
		flag := isOutside(given[d.Pos])
		written := slices.IndexFunc(d.Related, func(x diag.Related) bool { return !isOutside(given[x.Pos]) })
		own := fromcue.Lookup(manifest, d.At)
		value := values.Get(d.At...)
		word := kindWord(own)
		if !flag || written < 0 || value == nil || word == "" {
			continue
		}
		d.Message = fmt.Sprintf("%s is %s in the manifest, %s, or make it a default: *%s | %s",
			Path(d.At), Short(Source(own)), insteadOf(d.Pos, Short(value.JSON())), Source(own), word)
		d.Related[written].Message = "in the manifest"
	}
}

// insteadOf says that a value of the command line is not put in place of the manifest's, and what
// to write for that.
func insteadOf(pos diag.Pos, value string) string {
	switch path := setPath(pos); {
	case path == "":
		return fmt.Sprintf("which %s does not overwrite with %s: take it out there", giver(pos), value)
	case strings.HasSuffix(path, ":"):
		return fmt.Sprintf("where --set cannot replace it by %s: all fields have it, or a comprehension or another package gives it; write it as a field of the manifest", value)
	default:
		return fmt.Sprintf("which --set does not overwrite with %s: write --set %s:=VALUE, with := in place of =", value, path)
	}
}

// isOutside reports whether a value comes from outside of the manifest.
func isOutside(o value.Origin) bool {
	return o.By == value.FromFlag || o.By == value.FromEnvironment || o.By == value.FromTemplate
}

// giver is what a value of the command line is called.
func giver(pos diag.Pos) string {
	if setPath(pos) != "" {
		return "--set"
	}
	return filepath.Base(pos.Filename())
}

// setPath is the path that a --set gives, with the colon where it replaces what the manifest
// says; "" for what no --set gives.
func setPath(pos diag.Pos) string {
	set, ok := strings.CutPrefix(pos.Filename(), "--set ")
	if !ok {
		return ""
	}
	path, _, _ := strings.Cut(set, "=")
	return path
}

// kindWord is the type of a concrete value in CUE, "" for a struct, a list and
// what has no value.
func kindWord(v cue.Value) string {
	if !v.IsConcrete() {
		return ""
	}
	switch v.Kind() {
	case cue.StringKind:
		return "string"
	case cue.IntKind:
		return "int"
	case cue.FloatKind, cue.NumberKind:
		return "number"
	case cue.BoolKind:
		return "bool"
	}
	return ""
}
