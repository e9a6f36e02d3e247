package main

import (
	"bytes"
	"html/template"
	"path"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// comment is one that says where a block comes from.
var comment = regexp.MustCompile(`(?m)^<!--.*-->\n`)

// render makes the body of a page, and notes its parts and links.
func (p *page) render(source []byte, pages map[string]*page) error {
	source = comment.ReplaceAll(source, nil)
	md := goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(parser.WithAutoHeadingID()))
	ctx := parser.NewContext(parser.WithIDs(&ids{used: map[string]int{}}))
	doc := md.Parser().Parse(text.NewReader(source), parser.WithContext(ctx))
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			p.note(n, source, pages)
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return err
	}
	unlink(doc)
	var b bytes.Buffer
	if err := md.Renderer().Render(&b, source, doc); err != nil {
		return err
	}
	// A table that is wider than the screen scrolls by itself.
	html := strings.NewReplacer("<table>", `<div class="scroll"><table>`, "</table>", "</table></div>").Replace(b.String())
	p.Body = template.HTML(html) // of the repository's own pages, with their HTML left out
	return nil
}

// note adds what a node says of the page: headings, texts, links.
func (p *page) note(n ast.Node, source []byte, pages map[string]*page) {
	switch n := n.(type) {
	case *ast.Heading:
		id, _ := n.AttributeString("id")
		name, _ := id.([]byte)
		head := plain(n, source)
		if p.Title == "" {
			p.Title = head
		}
		p.Parts = append(p.Parts, part{Level: n.Level, ID: string(name), Head: head})
	case *ast.Link:
		n.Destination = []byte(p.resolve(string(n.Destination), pages))
	case *ast.Paragraph, *ast.TextBlock, *ast.FencedCodeBlock, *ast.CodeBlock, *extast.TableCell:
		if len(p.Parts) > 0 {
			p.Parts[len(p.Parts)-1].Text += " " + plain(n, source)
		}
	}
}

// plain is the text of a node.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			b.Write(t.Segment.Value(source))
			if t.SoftLineBreak() {
				b.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	if b.Len() == 0 && n.Type() == ast.TypeBlock {
		for i := range n.Lines().Len() {
			line := n.Lines().At(i)
			b.Write(line.Value(source))
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// resolve turns a link between files of the repository into one between pages. What has no
// page is "" and becomes text.
func (p *page) resolve(link string, pages map[string]*page) string {
	if strings.Contains(link, "://") || strings.HasPrefix(link, "mailto:") {
		return link
	}
	p.links = append(p.links, link)
	file, anchor, _ := strings.Cut(link, "#")
	if anchor != "" {
		anchor = "#" + anchor
	}
	if file == "" {
		return anchor
	}
	if to := pages[path.Join(path.Dir(p.File), file)]; to != nil {
		return relative(p.Out, to.Out) + anchor
	}
	return ""
}

// unlink puts the text of links that lead to no page in their place.
func unlink(doc ast.Node) {
	var dead []*ast.Link
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if l, ok := n.(*ast.Link); ok && entering && len(l.Destination) == 0 {
			dead = append(dead, l)
		}
		return ast.WalkContinue, nil
	})
	for _, l := range dead {
		for c := l.FirstChild(); c != nil; c = l.FirstChild() {
			l.Parent().InsertBefore(l.Parent(), l, c)
		}
		l.Parent().RemoveChild(l.Parent(), l)
	}
}
