package diag

import (
	"slices"
	"strings"
)

// Scope is the part of an artifact that a problem is about, by which
// [List.Fold] relates problems that different stages have found.
type Scope struct {
	// Artifact is the import path of the artifact's package; "" if the problem is
	// not about an artifact's description.
	Artifact string
	// Path leads there from the description.
	Path []string
	// Import is what the file calls an import that is not used, or the one that a name
	// was meant for which leads nowhere: [AnyImport] if that is not known, "" for none.
	Import string
	// Channel is the one of which a problem says that an artifact does not have it; "" for
	// none.
	Channel string
	// Of is the import path of that artifact's package, or of the import that is not used.
	Of string
}

// AnyImport is an import of which the name is not known.
const AnyImport = "*"

// In sets the scope and returns d.
func (d *Diagnostic) In(artifact string, path ...string) *Diagnostic {
	d.Scope.Artifact, d.Scope.Path = artifact, path
	return d
}

// AboutChannel sets the channel of an artifact that is not there and returns d.
func (d *Diagnostic) AboutChannel(of, channel string) *Diagnostic {
	d.Scope.Of, d.Scope.Channel = of, channel
	return d
}

// causes are the codes of mistakes that leave something else out or unknown,
// those that say most first.
var causes = []Code{OwnConfig, Cycle, UnknownReference, UnknownField, Conflict, CUE}

// absences are the codes of what can be left out or unknown.
var absences = []Code{
	Hole, NoContainer, NoSize, EmptyConnector, Unconnected, FileForm, EnvForm, ProbeForm, RoleWithoutArtifact,
	UnknownKey, Shape, RoleNotConcrete,
}

// Fold puts problems that will go with another one under that: what is said to
// be absent where a field is misspelt or fails, what is found twice at one
// place, and the missing numbers of instances where scale itself is wrong.
// It expects a sorted list; l itself is left alone.
func (l List) Fold() List {
	under := make([]*Diagnostic, len(l)) // the cause of each, nil for its own
	for i, d := range l {
		for j, cause := range l {
			if i != j && under[j] == nil && d.follows(cause, i > j) {
				under[i] = cause
				break
			}
		}
	}
	out := List{}
	for i, d := range l {
		if under[i] == nil {
			out = append(out, d)
		} else if d.Message != under[i].Message {
			under[i].Consequences = append(under[i].Consequences, d)
		}
	}
	return out
}

// follows reports whether d goes when the cause goes. later tells that d comes
// after it, which decides between two causes of one place.
func (d *Diagnostic) follows(cause *Diagnostic, later bool) bool {
	if cause.Severity != Error {
		return false
	}
	switch {
	case (d.Code == Missing || d.Code == MissingHsize || d.Code == NoArtifact || d.Code == RoleNotConcrete) && standsFor(cause, d.At):
		return true
	case d.Code == MissingHsize && cause.Code == UnknownField && cause.Scope.Artifact == "" && (meansAny(cause, "config", "scale", "hsize") || strings.Contains(cause.Message, "hsize: ")):
		return true
	case d.Code == UnknownRole && cause.Code == UnknownField && meansAny(cause, "role"):
		return true
	case d.Code == Missing && cause.Code == UnknownField && len(cause.At) == 2 && cause.At[0] == "config" && len(d.At) == 3 && d.At[2] == cause.At[1]:
		return true // it is given beside the section
	case cause.Code == UnknownField && cause.isOfConfig() && d.followsInConfig(cause):
		return true
	case d.Code == UnknownContainer && cause.Scope.Artifact == d.Scope.Artifact && (cause.Code == UnknownField && meansAny(cause, "code") || cause.Code == Conflict && slices.Equal(cause.Scope.Path, []string{"code"})):
		return true
	case d.Code == UnusedImport && cause.Code == Syntax && cause.Cause != nil:
		return cause.Pos.Filename() == d.Pos.Filename() // what is not understood may use it
	case d.Code == UnknownChannel && (cause.Code == Conflict || cause.Code == UnknownField) && len(cause.Scope.Path) > 0 && cause.Scope.Path[0] == "srv":
		return cause.Scope.Artifact == d.Scope.Of && (len(cause.Scope.Path) < 3 || cause.Scope.Path[2] == d.Scope.Channel)
	case d.Code == UnusedImport && cause.Code == NoArtifact:
		return cause.Pos.Filename() == d.Pos.Filename() && !isCUEs(d.Scope.Of)
	case d.Code == UnusedImport && cause.Code == UnknownField && (meansAny(cause, "artifact") || strings.Contains(cause.Message, "artifact: x.")):
		return cause.Pos.Filename() == d.Pos.Filename() && !isCUEs(d.Scope.Of)
	case d.Code == MissingHsize:
		return cause.Code != MissingHsize && slices.Contains(cause.At, "scale")
	case d.Code == ModuleNotFound:
		return cause.Code == BadModule || cause.Code == NoModule
	case d.Code == UnusedImport:
		return cause.Code == UnknownReference && cause.Pos.Filename() == d.Pos.Filename() &&
			(cause.Scope.Import == AnyImport || cause.Scope.Import == d.Scope.Import)
	case d.Code == CUE || d.Code == BadImportPath:
		if cause.Code != CUE && cause.Code != BadImportPath && d.Pos.IsValid() && cause.Pos.Position() == d.Pos.Position() {
			return true
		}
	case d.Code == Unconnected && len(d.Scope.Path) > 1:
		return d.Scope.Artifact == cause.Scope.Artifact && within(cause.Scope.Path, d.Scope.Path[:2])
	}
	if d.Code == Unconnected && len(cause.Scope.Path) > 1 {
		return false // what is wrong with a connector for another channel
	}
	if d.Scope.Artifact == "" || d.Scope.Artifact != cause.Scope.Artifact || len(cause.Scope.Path) == 0 {
		return false
	}
	if d.Code == RoleWithoutArtifact && slices.Contains(cause.Scope.Path, "config") {
		return false // what is wrong with its config doesn't take the artifact away
	}
	rank := slices.Index(causes, cause.Code)
	if rank < 0 {
		return false
	}
	if d.Code == UnknownField && cause.Code == UnknownField && len(d.Scope.Path) > len(cause.Scope.Path) {
		return within(d.Scope.Path, cause.Scope.Path)
	}
	if slices.Equal(d.Scope.Path, cause.Scope.Path) {
		own := slices.Index(causes, d.Code)
		return own < 0 || own > rank || own == rank && later
	}
	return slices.Contains(absences, d.Code) && explains(cause, d.Scope.Path)
}

// isOfConfig reports whether a problem is one with what a config gives an artifact, whose
// scope has the role after an @.
func (d *Diagnostic) isOfConfig() bool {
	return strings.Contains(d.Scope.Artifact, "@") && len(d.Scope.Path) > 1 && d.Scope.Path[0] == "config"
}

// followsInConfig reports whether d goes with a field of a config that is called
// otherwise: it is the same, told of the artifact that declares no such field, or a field
// that is missing beside it and that it can be.
func (d *Diagnostic) followsInConfig(cause *Diagnostic) bool {
	at := cause.Scope.Path
	switch d.Code {
	case UnknownField:
		return slices.Equal(d.Scope.Path, at) && strings.HasPrefix(cause.Scope.Artifact, d.Scope.Artifact+"@")
	case Missing:
		last, roles := len(at)-1, len(d.At)-len(at)
		if roles < 0 || !strings.HasSuffix(cause.Scope.Artifact, "@"+strings.Join(d.At[:roles], ".")) {
			return false
		}
		path := slices.Clone(d.At[roles:])
		for i, name := range path { // where an element is [1], and 1 in CUE's words
			path[i] = strings.TrimSuffix(strings.TrimPrefix(name, "["), "]")
		}
		return within(path, at[:last]) && isMeant(path[last], at[last], cause)
	}
	return false
}

// isCUEs reports whether an import path is of a package that CUE itself has, in which no
// artifact is.
func isCUEs(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return path != "" && !strings.Contains(first, ".")
}

// meansAny reports whether a field that is called otherwise was meant to be one of these.
func meansAny(cause *Diagnostic, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		return strings.Contains(cause.Message, "; did you mean "+name+"?")
	})
}

// standsFor reports whether a field of a deployment that is called otherwise was meant to
// be what leads to a path.
func standsFor(cause *Diagnostic, path []string) bool {
	if cause.Code != UnknownField || cause.Scope.Artifact != "" || len(cause.At) == 0 {
		return false
	}
	_, name, ok := strings.Cut(cause.Message, "; did you mean ")
	name, _, _ = strings.Cut(name, "?")
	above := cause.At[:len(cause.At)-1]
	return ok && within(path, append(slices.Clone(above), name))
}

// explains reports whether a mistake can be why something is absent at path: it
// lies there, above or below. A misspelt field can also be the one that is absent.
func explains(cause *Diagnostic, path []string) bool {
	at := cause.Scope.Path
	if cause.Code == UnknownField {
		name := at[len(at)-1]
		at = at[:len(at)-1]
		if len(path) == len(at)+1 && within(path, at) {
			return isMeant(path[len(path)-1], name, cause)
		}
		return within(at, path)
	}
	return within(path, at) || within(at, path) || isMinimum(path, at)
}

// isMeant reports whether a field that is absent can be the one that is misspelt as
// name: it is spelt alike, or nobody can tell what was meant.
func isMeant(absent, name string, cause *Diagnostic) bool {
	if _, near := Nearest(name, []string{absent}); near || !strings.Contains(cause.Message, "did you mean ") {
		return true
	}
	return strings.Contains(cause.Message, "did you mean "+absent+"?")
}

// isMinimum reports whether path leads to a minimum (mincpu) which the model takes
// from the size (cpu) that at leads to or into.
func isMinimum(path, at []string) bool {
	last := len(path) - 1
	return last >= 0 && last < len(at) && path[last] == "min"+at[last] && within(at, path[:last])
}

// within reports whether path leads to outer or below it.
func within(path, outer []string) bool {
	return len(path) >= len(outer) && strings.Join(path[:len(outer)], "\x00") == strings.Join(outer, "\x00")
}
