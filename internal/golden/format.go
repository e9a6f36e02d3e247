package golden

import (
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"
)

// setting is a line of a case's head that is one.
var setting = regexp.MustCompile(`(?m)^([a-z]+):(.*)$`)

// format says what the tests of a folder read of its cases.
type format struct {
	settings string
	// always are the outputs that are compared with every case: where a case does
	// not have one, it is expected to be empty.
	always []string
	// shown are those that a case may show, with the folder of the test that
	// compares them.
	shown map[string]string
	// lines is how many a case may have, 0 for any number.
	lines int
}

// input are the settings that say what is compiled; those in repeated may be there
// more than once.
const (
	input    = "dir package modules set values name strict owner comment with links"
	repeated = "modules set values with links"
)

// outputs are what the cases of testdata/cases can show.
var outputs = map[string]string{
	"out/spread.json":           "compiler",
	"out/solution.json":         "compiler",
	"out/oracle.json":           "compiler",
	"out/graph.dot":             "graph",
	"out/graph.mmd":             "graph",
	"out/kubernetes.yaml":       "targets/kubernetes",
	"out/kubernetes.losses.txt": "targets/kubernetes",
	"out/swarm.yaml":            "targets/swarm",
	"out/swarm.losses.txt":      "targets/swarm",
	"out/swarm.specs.json":      "test/swarm",
}

// formats are those of the folders that have cases, by name.
var formats = map[string]format{
	"cases":        {settings: input + " input shows", always: []string{"out/errors.txt"}, shown: outputs, lines: 150},
	"errors":       {settings: input + " problems", always: []string{"out/errors.txt"}},
	"compared":     {settings: input + " title mistakes text"},
	"load":         {settings: "dir package modules", always: []string{"out/errors.txt", "out/program.txt"}},
	"environments": {settings: "dir", always: []string{"out/errors.txt", "out/environments.json"}},
	"policies":     {settings: "dir environment labels", always: []string{"out/broken.txt"}},
	"testdata":     {settings: input}, // of a module below test
}

func (c *Case) format() format { return formats[filepath.Base(filepath.Dir(c.file))] }

// unread are the settings and sections of a case that no test reads, or that have
// no meaning.
func (c *Case) unread() (found []string) {
	f := c.format()
	if f.settings == "" {
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
		if isExpected(x.Name) && !f.compares(x.Name) {
			found = append(found, "section "+x.Name)
		} else if names[x.Name] {
			found = append(found, "section "+x.Name+", again")
		} else if !isExpected(x.Name) && c.Setting("input") != "" {
			found = append(found, "section "+x.Name+" beside an input")
		}
		names[x.Name] = true
	}
	for _, name := range c.Settings["values"] {
		if !names[name] {
			found = append(found, "values of a section "+name+" that is not there")
		}
	}
	return append(found, c.unshown(f)...)
}

// unshown is what is wrong with what a case says it shows.
func (c *Case) unshown(f format) (found []string) {
	shown := map[string]bool{}
	for _, name := range c.shows() {
		switch {
		case f.shown["out/"+name] == "":
			found = append(found, "output "+name)
		case shown[name]:
			found = append(found, "output "+name+", again")
		case c.index("out/"+name) >= 0:
			found = append(found, "output "+name+", in a section as well")
		}
		shown[name] = true
	}
	sections := slices.ContainsFunc(c.archive.Files, func(x txtar.File) bool { return isExpected(x.Name) })
	if f.shown != nil && len(shown) == 0 && !sections {
		found = append(found, "nothing that it shows")
	}
	if f.lines > 0 && c.lines() > f.lines {
		found = append(found, fmt.Sprintf("%d lines, of which a case has at most %d", c.lines(), f.lines))
	}
	return found
}

// compares reports whether a test compares a section. What is neither JSON, YAML nor
// text has no parts.
func (f format) compares(section string) bool {
	output, at, isPart := strings.Cut(section, " ")
	if isPart && (strings.TrimSpace(at) == "" || !slices.Contains([]string{".json", ".yaml", ".txt"}, path.Ext(output))) {
		return false
	}
	return f.shown[output] != "" || !isPart && slices.Contains(f.always, output)
}

// isExpected reports whether a section is what a test expects, and no file of the
// module.
func isExpected(section string) bool { return strings.HasPrefix(section, "out/") }
