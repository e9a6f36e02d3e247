package load

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/parser"
	modpkg "cuelang.org/go/mod/module"
)

// TemplateDirectory is where the templates of a module are, at its root.
const TemplateDirectory = "templates"

// PublishedArtifact takes the text apart by which a template names an artifact:
// "MODULE/PACKAGE@v1.2.3".
func PublishedArtifact(text string) (path, version string, ok bool) {
	path, version, ok = strings.Cut(text, "@")
	major, _, _ := strings.Cut(version, ".")
	if !ok || !fs.ValidPath(path) || modpkg.CheckPath(path+"@"+major) != nil {
		return "", "", false
	}
	v, err := modpkg.NewVersion(path+"@"+major, version)
	return path, version, err == nil && v.IsCanonical()
}

// PublishedArtifacts are the texts in the templates of the module in a directory that name
// artifacts, sorted. Files that cannot be parsed have none.
func PublishedArtifacts(dir string) []string {
	files, _ := filepath.Glob(filepath.Join(dir, TemplateDirectory, "*.cue"))
	var out []string
	for _, name := range files {
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() || info.Size() > maxFile {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil || checkText(name, text) != nil {
			continue
		}
		f, err := parser.ParseFile(name, text)
		if err != nil {
			continue
		}
		ast.Walk(f, func(n ast.Node) bool {
			field, ok := n.(*ast.Field)
			if !ok {
				return true
			}
			lit, isText := field.Value.(*ast.BasicLit)
			if label, _, _ := ast.LabelName(field.Label); label != "artifact" || !isText {
				return true
			}
			text, err := literal.Unquote(lit.Value)
			if _, _, ok := PublishedArtifact(text); ok && err == nil {
				out = append(out, text)
			}
			return true
		}, nil)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
