package main

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
)

// ids gives headings the names that GitHub gives them, so that a link works there and here.
type ids struct{ used map[string]int }

// Generate implements goldmark's parser.IDs.
func (s *ids) Generate(value []byte, _ ast.NodeKind) []byte {
	name := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			return unicode.ToLower(r)
		case r == ' ':
			return '-'
		}
		return -1
	}, strings.TrimSpace(string(value)))
	n := s.used[name]
	s.used[name]++
	if n > 0 {
		name = fmt.Sprintf("%s-%d", name, n)
	}
	return []byte(name)
}

// Put implements goldmark's parser.IDs.
func (s *ids) Put(value []byte) { s.used[string(value)]++ }

// check lists the links that lead to no file of the repository, or to no heading of a page.
func check(pages map[string]*page, repo fs.FS) brokenError {
	var broken brokenError
	for file, p := range pages {
		for _, link := range p.links {
			name, anchor, _ := strings.Cut(link, "#")
			target := file
			if name != "" {
				target = path.Join(path.Dir(file), name)
			}
			if why := lacks(target, anchor, pages, repo); why != "" {
				broken = append(broken, file+": "+link+": "+why)
			}
		}
	}
	slices.Sort(broken)
	return broken
}

// lacks says what is not there of a link's target, "" if it is there.
func lacks(target, anchor string, pages map[string]*page, repo fs.FS) string {
	to := pages[target]
	switch {
	case strings.HasPrefix(target, "../"):
		return "that is outside of the repository"
	case to == nil:
		if _, err := fs.Stat(repo, target); err != nil {
			return "there is no such file"
		}
		if anchor != "" {
			return "that is no page, and has no headings"
		}
	case anchor != "" && !slices.ContainsFunc(to.Parts, func(q part) bool { return q.ID == anchor }):
		return "there is no such heading"
	}
	return ""
}
