package fromcue

import (
	"slices"
	"strconv"
	"strings"

	"kumiki.dev/internal/lazyregexp"
)

// CUE gets a level as a field in a file of its own, beside the sources of the artifact. The
// paths of errors in it begin with the name of that field, and no reader has the file.
const (
	// LevelName is what the names of the fields of levels begin with.
	LevelName = "kumikiLevel"
	// LevelFile is what the file is called that a level is in.
	LevelFile = "kumiki:level.cue"
	// StandInName is what names begin with that stand for values of which nothing is known.
	StandInName = "_kumikiUnknown"
)

// IsLevel reports whether a path of CUE's begins in the field of a level.
func IsLevel(path []string) bool {
	return len(path) > 0 && (strings.HasPrefix(path[0], LevelName) || path[0] == "#Deployment")
}

// WithoutLevels is a text without the names that CUE's paths in it begin with: the
// definition, or a level of it.
func WithoutLevels(text string) string { return levelNames().ReplaceAllString(text, "") }

var levelNames = lazyregexp.New(`(?:#Artifact|#Deployment|#Environment|#Policy|#Template|` + LevelName + `_*[0-9]+)\.`)

// FieldPath is a path as CUE's errors have it, without the definition that it
// starts in and without the quotes around names.
func FieldPath(path []string) []string {
	if IsLevel(path) || len(path) > 0 && strings.HasPrefix(path[0], "#") {
		path = path[1:]
	}
	var out []string
	for _, name := range path {
		if plain, err := strconv.Unquote(name); err == nil {
			name = plain
		}
		out = append(out, name)
	}
	return out
}

// Elements is a path of CUE's in which numbers of elements are in brackets.
func Elements(path []string) []string {
	out := slices.Clone(path)
	for i, name := range path {
		if _, err := strconv.Atoi(name); err == nil {
			out[i] = "[" + name + "]"
		}
	}
	return out
}
