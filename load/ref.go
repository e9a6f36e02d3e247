package load

import (
	"fmt"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/parser"

	"kumiki.dev/internal/filter"
)

// refFile is the name of the synthesized file of a package.
const refFile = "kumiki:ref.cue"

// withReference returns the files of a package together with the synthesized
// one that unifies its #Artifact, #Deployment, #Environment, #Policy or #Template with the model. What the
// vendor's tool generates for the same end is left alone, except for the part
// that calls the vendor's own solver.
func (l *loader) withReference(m *module, name string, files []*ast.File) []*ast.File {
	if (m.Path == modelPath || m.Path == environmentPath || m.Path == policyPath || m.Path == templatePath) && m.embedded {
		return files // it defines them
	}
	var text strings.Builder
	if hasField(files, "#Artifact") && !filter.Any(files, isGeneratedRef) {
		text.WriteString("#Artifact: k.#Artifact & " + refExpr(m, name) + "\n")
	}
	if hasField(files, "#Deployment") {
		for _, f := range files {
			dropSolver(f)
		}
		text.WriteString("#Deployment: k.#Deployment\n")
	}
	model := modelPath + ":kumori"
	if hasField(files, environmentField) {
		model = environmentPath
		text.Reset()
		text.WriteString("#Environment: k.#Environment\n")
	}
	if hasField(files, policyField) && name == "policy" {
		model = policyPath
		text.Reset()
		text.WriteString("#Policy: k.#Policy\n")
	}
	if hasField(files, templateField) {
		files = append(files, templateRef(name))
	}
	if text.String() == "" {
		return files
	}
	src := fmt.Sprintf("package ref\nimport k %q\n%s", model, &text)
	f, err := parser.ParseFile(refFile, src)
	if err != nil {
		panic(fmt.Sprintf("%s: %v", refFile, err)) // every part is quoted: a bug of ours
	}
	f.Decls[0] = &ast.Package{Name: ast.NewIdent(name)}
	return append(files, f)
}

// refExpr writes what a package's artifact is called by default. Defaults,
// because what the author writes wins.
func refExpr(m *module, pkg string) string {
	quote := literal.String.Quote
	r := m.ref
	var b strings.Builder
	b.WriteString("{spec: *[1, 0] | [...], ref: {")
	fmt.Fprintf(&b, "domain: *%s | string, ", quote(r.domain))
	fmt.Fprintf(&b, "module: *%s | string, ", quote(r.module))
	fmt.Fprintf(&b, "version: *[%d, %d, %d] | [...], ", r.version[0], r.version[1], r.version[2])
	if r.prerelease != "" {
		fmt.Fprintf(&b, "prerelease: *%s | string, ", quote(r.prerelease))
	}
	if r.buildmetadata != "" {
		fmt.Fprintf(&b, "buildmetadata: *%s | string, ", quote(r.buildmetadata))
	}
	if pkg == "component" || pkg == "service" {
		fmt.Fprintf(&b, "kind: *%s | string, ", quote(pkg))
	}
	b.WriteString("}}")
	return b.String()
}

// isGeneratedRef reports whether the file is the vendor's componentref.cue or
// serviceref.cue: it takes the artifact's reference from kmodule.cue.
func isGeneratedRef(f *ast.File) bool {
	if !hasField([]*ast.File{f}, "#Artifact") {
		return false
	}
	for spec := range f.ImportSpecs() {
		if s, _ := splitImport(spec); s.pkg == "kmodule" {
			return true
		}
	}
	return false
}

// solverField is what the vendor's deployment.cue calls its solver with.
const solverField = "generateDeployment"

// dropSolver removes the call of the vendor's solver, and the imports that
// nothing else in the file uses.
func dropSolver(f *ast.File) {
	if !hasField([]*ast.File{f}, solverField) {
		return
	}
	f.Decls = filter.Out(f.Decls, func(d ast.Decl) bool { return declares(d, solverField) })
	used := usedImports(f)
	for spec := range f.ImportSpecs() {
		if !used[spec] {
			dropImport(f, spec)
		}
	}
}
