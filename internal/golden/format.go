package golden

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// setting is a line of a case's head that is one.
var setting = regexp.MustCompile(`(?m)^([a-z]+):(.*)$`)

// format says what the tests of a folder read of its cases.
type format struct{ settings, sections string }

// input are the settings that say what is compiled; those in repeated may be there
// more than once.
const (
	input    = "dir package modules set values name strict owner comment example"
	repeated = "modules set values"
)

// formats are those of the folders that have cases, by name.
var formats = map[string]format{
	"cases": {input, "out/errors.txt out/spread.json out/solution.json out/graph.dot out/graph.mmd " +
		"out/kubernetes.yaml out/kubernetes.losses.txt out/swarm.yaml out/swarm.losses.txt oracle/solution.json"},
	"errors":   {input + " problems", "out/errors.txt"},
	"compared": {input + " title mistakes text", ""},
	"load":     {"dir package modules", "out/errors.txt out/program.txt"},
	"testdata": {input, ""}, // of a module below test
}

// unread are the settings and sections of a case that no test reads, or that have
// no meaning.
func (c *Case) unread() (found []string) {
	f, ok := formats[filepath.Base(filepath.Dir(c.file))]
	if !ok {
		return []string{"a folder that has no cases"}
	}
	for _, key := range slices.Sorted(maps.Keys(c.Settings)) {
		if !slices.Contains(strings.Fields(f.settings), key) {
			found = append(found, "setting "+key)
		} else if n := len(c.Settings[key]); n > 1 && !slices.Contains(strings.Fields(repeated), key) {
			found = append(found, fmt.Sprintf("setting %s, %d times", key, n))
		}
	}
	names := map[string]bool{}
	for _, x := range c.archive.Files {
		if isExpected(x.Name) && !slices.Contains(strings.Fields(f.sections), x.Name) {
			found = append(found, "section "+x.Name)
		} else if names[x.Name] {
			found = append(found, "section "+x.Name+", again")
		}
		names[x.Name] = true
	}
	for _, name := range c.Settings["values"] {
		if !names[name] {
			found = append(found, "values of a section "+name+" that is not there")
		}
	}
	return found
}

// isExpected reports whether a section is what a test expects, and no file of the
// module.
func isExpected(section string) bool {
	return strings.HasPrefix(section, "out/") || strings.HasPrefix(section, "oracle/")
}
