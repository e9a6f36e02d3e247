package load

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kumiki.dev/internal/filter"
)

// Sources is what an argument that may name several deployments stands for:
// solution files and directories with a #Deployment. A directory with CUE files
// is itself, another one is the solution files in it and those of its directories
// that have CUE files; anything else is itself.
func Sources(arg string) []string {
	entries, err := os.ReadDir(arg)
	if err != nil || hasCUE(entries) {
		return []string{arg} // whoever reads it says what is wrong
	}
	var out []string
	for _, e := range entries {
		name := filepath.Join(arg, e.Name())
		if !e.IsDir() {
			if strings.HasSuffix(e.Name(), ".json") {
				out = append(out, name)
			}
			continue
		}
		if inner, err := os.ReadDir(name); err == nil && hasCUE(inner) && e.Name() != "cue.mod" {
			out = append(out, name)
		}
	}
	if len(out) == 0 {
		return []string{arg}
	}
	slices.Sort(out)
	return out
}

func hasCUE(entries []os.DirEntry) bool {
	return filter.Any(entries, func(e os.DirEntry) bool {
		return !e.IsDir() && strings.HasSuffix(e.Name(), ".cue") && e.Name() != "kmodule.cue"
	})
}
