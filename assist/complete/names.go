package complete

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kumiki.dev/history"
	"kumiki.dev/internal/filter"
	"kumiki.dev/load"
)

// Saved are the names that a history has something under, and that begin with a word;
// behind NAME@, its entries, the last first.
func Saved(dir, word string) []string {
	store := history.Open(dir)
	name, entry, behind := strings.Cut(word, "@")
	if behind {
		var out []string
		for _, e := range Entries(dir, name, entry) {
			out = append(out, name+"@"+e)
		}
		return out
	}
	names, err := store.Names()
	if err != nil {
		return nil
	}
	return beginning(names, word)
}

// Entries are the numbers of a name's entries, with what they are, the last first.
func Entries(dir, name, word string) []string {
	entries, err := history.Open(dir).Entries(name)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range slices.Backward(entries) {
		if number := fmt.Sprint(e.Number); strings.HasPrefix(number, word) {
			out = append(out, number+"\t"+strings.TrimSpace(e.What+" "+e.Comment))
		}
	}
	return out
}

// Modules are the modules that the one around the working directory depends on, as
// PATH@VERSION.
func Modules(word string) []string {
	survey, _ := load.Look(".")
	if survey == nil {
		return nil
	}
	var out []string
	for path, version := range survey.Dependencies {
		if version != "" {
			path = strings.Split(path, "@")[0] + "@v" + strings.TrimPrefix(version, "v")
		}
		out = append(out, path)
	}
	slices.Sort(out)
	return beginning(out, word)
}

// References are artifacts of the modules that the working directory's module depends on
// and that have been fetched: MODULE/DIR:VERSION. No registry is asked.
func References(cache, word string) []string {
	var out []string
	for _, m := range Modules("") {
		path, version, ok := strings.Cut(m, "@")
		if !ok || !strings.HasPrefix(path, word) && !strings.HasPrefix(word, path) {
			continue
		}
		dir := filepath.Join(cache, "mod", "extract", filepath.FromSlash(path)+"@"+version)
		if _, err := os.Stat(dir); err != nil {
			continue
		}
		survey, _ := load.Look(dir)
		if survey == nil {
			continue
		}
		for _, p := range survey.Packages {
			if p.Artifact {
				out = append(out, strings.TrimSuffix(path+"/"+p.Dir, "/.")+":"+version)
			}
		}
	}
	return beginning(out, word)
}

func beginning(words []string, word string) []string {
	return filter.Out(words, func(w string) bool { return !strings.HasPrefix(w, word) })
}
