package main

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"strings"
)

//go:embed page.html style.css search.js
var assets embed.FS

// section is a part of the navigation: its title, and the pages in it.
type section struct {
	Title string
	Pages []string // files of the repository; a star stands for all that no other names
}

// sections are the navigation, in the order in which people come to need it.
var sections = []section{
	{"Start", []string{"README.md", "docs/install.md", "docs/tutorial.md", "docs/editors.md"}},
	{"How to", []string{
		"docs/howto/kubernetes.md", "docs/howto/swarm.md", "docs/howto/deployments.md", "docs/howto/secrets.md", "docs/howto/volumes.md",
		"docs/howto/ci.md", "docs/howto/test.md", "docs/howto/publish.md", "docs/howto/debug.md", "docs/howto/yaml.md", "docs/howto/compose.md",
		"docs/howto/*.md",
	}},
	{"Reference", []string{
		"docs/reference.md", "docs/reference/deployment.md", "docs/reference/artifact.md", "docs/reference/config.md", "docs/reference/channels.md",
		"docs/reference/component.md", "docs/reference/service.md", "docs/reference/hints.md", "docs/reference/inbound.md", "docs/reference/*.md",
		"docs/cli.md", "docs/errors.md", "docs/topics.md", "docs/glossary.md",
	}},
	{"Understand", []string{"docs/model.md", "docs/kubernetes.md", "docs/swarm.md", "docs/running.md", "docs/plans.md", "docs/queries.md", "docs/packages.md", "docs/*.md"}},
	{"Develop", []string{"docs/architecture.md", "docs/performance.md", "CONTRIBUTING.md"}},
}

// page is a page of the site.
type page struct {
	File  string // of the repository
	Out   string // of the site
	Title string
	Body  template.HTML
	Parts []part
	links []string
}

// part is what is below a heading.
type part struct {
	Level          int
	ID, Head, Text string
}

// build makes all files of the site from those of the repository.
func build(repo fs.FS) (map[string][]byte, error) {
	nav, pages, err := find(repo)
	if err != nil {
		return nil, err
	}
	for _, p := range pages {
		text, err := fs.ReadFile(repo, p.File)
		if err != nil {
			return nil, err
		}
		if err := p.render(text, pages); err != nil {
			return nil, fmt.Errorf("%s: %w", p.File, err)
		}
	}
	if broken := check(pages, repo); len(broken) > 0 {
		return nil, broken
	}
	files := map[string][]byte{"search-index.js": index(nav, pages)}
	for _, name := range []string{"style.css", "search.js"} {
		data, err := assets.ReadFile(name)
		if err != nil {
			return nil, err
		}
		files[name] = data
	}
	layout, err := template.New("page.html").ParseFS(assets, "page.html")
	if err != nil {
		return nil, err
	}
	for _, p := range pages {
		var b bytes.Buffer
		if err := layout.Execute(&b, map[string]any{"Page": p, "Nav": shown(nav, pages, p), "Root": root(p.Out), "Contents": contents(p)}); err != nil {
			return nil, err
		}
		files[p.Out] = b.Bytes()
	}
	return files, nil
}

// find lists the pages by their files, and resolves the stars of the navigation.
func find(repo fs.FS) ([]section, map[string]*page, error) {
	pages := map[string]*page{}
	named := map[string]bool{}
	for _, s := range sections {
		for _, pattern := range s.Pages {
			if !strings.Contains(pattern, "*") {
				named[pattern] = true
			}
		}
	}
	var nav []section
	for _, s := range sections {
		resolved := section{Title: s.Title}
		for _, pattern := range s.Pages {
			files, err := fs.Glob(repo, pattern)
			if err != nil {
				return nil, nil, err
			}
			for _, file := range files {
				if pages[file] == nil && (file == pattern || !named[file]) {
					pages[file] = &page{File: file, Out: outOf(file)}
					resolved.Pages = append(resolved.Pages, file)
				}
			}
		}
		nav = append(nav, resolved)
	}
	return nav, pages, nil
}

// outOf is the page that a file becomes.
func outOf(file string) string {
	if file == "README.md" {
		return "index.html"
	}
	return strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(file, "docs/"), ".md")) + ".html"
}

// root is the way from a page to the top of the site.
func root(out string) string { return strings.Repeat("../", strings.Count(out, "/")) }

// relative is the way from one page of the site to another.
func relative(from, to string) string { return root(from) + to }

// entry is a link of the navigation.
type entry struct {
	Title, Href   string
	Current, Deep bool
}

// shown is the navigation as a page has it.
func shown(nav []section, pages map[string]*page, current *page) []struct {
	Title string
	Pages []entry
} {
	var out []struct {
		Title string
		Pages []entry
	}
	for _, s := range nav {
		var list []entry
		for _, file := range s.Pages {
			p := pages[file]
			list = append(list, entry{p.Title, relative(current.Out, p.Out), p == current, path.Dir(p.Out) == "reference"})
		}
		out = append(out, struct {
			Title string
			Pages []entry
		}{s.Title, list})
	}
	return out
}

// contents are the headings of a page that are worth a list, unless they are too many to
// help.
func contents(p *page) []part {
	var out []part
	for _, q := range p.Parts {
		if q.Level == 2 {
			out = append(out, q)
		}
	}
	if len(out) < 3 || len(out) > 80 {
		return nil
	}
	return out
}
