package value

import (
	"path"
	"strings"

	"kumiki.dev/diag"
)

// StandInFile is the name of the file that the positions of stand-ins are in. No file
// can have it.
const StandInFile = "\x00stand-in"

// IsStandIn reports whether p is the position of a stand-in: of what takes the place of
// a value that is missing or wrong, so that what depends on it can be looked at all
// the same.
func IsStandIn(p diag.Pos) bool { return p.Filename() == StandInFile }

// IsModel reports whether a position lies where no reader can mend anything: in the
// embedded schema, in a file that the loader has synthesized, or in one that the
// vendor's tool has generated.
func IsModel(p diag.Pos) bool { return IsModelFile(p.Filename()) }

// IsModelFile reports whether a file of that name is one of those, see [IsModel].
func IsModelFile(name string) bool {
	switch path.Base(name) {
	case "componentref.cue", "serviceref.cue":
		return true
	}
	return strings.HasPrefix(name, "kumori.systems/") || strings.HasPrefix(name, "kumiki.dev/environment/") || strings.HasPrefix(name, "kumiki.dev/policy/") || strings.HasPrefix(name, "kumiki.dev/template/") || strings.HasPrefix(name, "kumiki:") || strings.HasPrefix(name, "stub of ")
}
