package benchapp

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"
)

// Form is a way to write some part of a component, a service or a deployment
// that the plainest application writes more simply, or does without.
type Form struct {
	Name string // unique among [Forms]
	// text is a txtar archive: each section goes to the place of the templates that
	// its name says, or is a file of its own. With ", each role" or ", each type"
	// behind the place, it is repeated for each of them.
	text string
}

// Forms are all forms, by what they are about.
func Forms() []Form {
	return slices.Concat(parameterForms, structForms, environmentForms, computedForms, fileForms, containerForms, channelForms, resourceForms, roleForms, passedForms, serviceForms, deploymentForms)
}

// section is a part of a form.
type section struct {
	place string
	each  string // "role", "type", or nothing
	text  string
}

func (f Form) sections() []section {
	var out []section
	for _, x := range txtar.Parse([]byte(f.text)).Files {
		place, each, _ := strings.Cut(x.Name, ", each ")
		out = append(out, section{place, each, strings.TrimSpace(string(x.Data))})
	}
	return out
}

// Together reports whether the forms can be in one application: no two of them
// replace the same text or write the same file, and none puts a text where
// another has taken the place away.
func Together(forms ...Form) bool {
	taken := map[string]bool{}
	templates := componentTemplate + serviceTemplate + deploymentTemplate
	role := roleTemplate
	for _, f := range forms {
		own := map[string]bool{}
		for _, s := range f.sections() {
			if s.place == "role" {
				role = s.text
			}
			if s.place == "role" || isFile(s.place) || strings.Contains(templates+roleTemplate, "«"+s.place+"=") {
				own[s.place] = true
			}
		}
		for place := range own {
			if taken[place] {
				return false
			}
			taken[place] = true
		}
	}
	for _, f := range forms {
		for _, s := range f.sections() {
			if s.place != "role" && !isFile(s.place) && !hasPlace(templates+role, s.place) {
				return false
			}
		}
	}
	return true
}

// isFile tells a file of its own from a place in a template.
func isFile(place string) bool { return strings.HasSuffix(place, ".cue") }

func hasPlace(template, place string) bool {
	return strings.Contains(template, "«"+place+"»") || strings.Contains(template, "«"+place+"=")
}

// types is how many types of component an application of n roles has: ten, as
// long as there are two roles of each, since the second is compiled otherwise.
func types(n int) int { return min(10, (n+1)/2) }

// FormApp is the application of n roles that [Forms] vary, written in the given
// forms; without any, it is the plainest. It panics unless they go together.
//
// It is the unit of work that templates are compared on: types of component with
// 20 parameters, 18 of which have defaults, one container with as many
// environment variables, and a file; each role gives five parameters and the
// number of its instances.
func FormApp(n int, forms ...Form) App {
	if !Together(forms...) {
		panic(fmt.Sprintf("benchapp: forms that exclude each other: %v", names(forms)))
	}
	app := App{"cue.mod/module.cue": moduleFile}
	places := map[string][]string{}
	for _, f := range forms {
		for _, s := range f.sections() {
			app.put(places, s, n)
		}
	}
	role := roleTemplate
	if own := places["role"]; own != nil {
		role = own[0]
	}
	places["service/roles"] = repeat(fill(role, places), n, "role")
	places["service/imports"] = append(imported(fill(serviceTemplate, places), n), places["service/imports"]...)
	for t := range types(n) {
		app[typeName(t)+"/artifact.cue"] = ofType(t).Replace(fill(componentTemplate, places))
	}
	app["service/artifact.cue"] = ofRole(0, n).Replace(fill(serviceTemplate, places))
	app[Deploy+"/deployment.cue"] = ofRole(0, n).Replace(fill(deploymentTemplate, places))
	return app
}

// imported are the imports of the types that a service refers to.
func imported(service string, n int) []string {
	var out []string
	for t := range types(n) {
		if strings.Contains(service, typeName(t)+".#Artifact") {
			out = append(out, strings.TrimSpace(importOf(typeName(t), "component")))
		}
	}
	return out
}

// put adds a section of a form to the places of the templates, or to the files.
func (a App) put(places map[string][]string, s section, n int) {
	texts := []string{s.text}
	if s.each != "" {
		texts = repeat(s.text, n, s.each)
	}
	name, ofComponents := strings.CutPrefix(s.place, "component/")
	switch {
	case isFile(s.place) && ofComponents:
		for t := range types(n) {
			a[typeName(t)+"/"+name] += ofType(t).Replace(s.text) + "\n\n"
		}
	case isFile(s.place):
		a[s.place] += ofRole(0, n).Replace(strings.Join(texts, "\n")) + "\n\n"
	case strings.HasSuffix(s.place, "/imports"): // two forms may need the same
		for line := range strings.Lines(s.text) {
			if line = strings.TrimSpace(line); !slices.Contains(places[s.place], line) {
				places[s.place] = append(places[s.place], line)
			}
		}
	default:
		places[s.place] = append(places[s.place], texts...)
	}
}

// fill replaces the places of a template: «place», which may stay empty, and
// «place=text», which has a text unless a form replaces it. Lines are indented
// like the place; one with nothing but an empty place goes.
func fill(template string, places map[string][]string) string {
	var b strings.Builder
	for line := range strings.Lines(template) {
		indent := line[:len(line)-len(strings.TrimLeft(line, "\t"))]
		before, rest, ok := strings.Cut(line, "«")
		if !ok {
			b.WriteString(line)
			continue
		}
		place, after, _ := strings.Cut(rest, "»")
		place, text, _ := strings.Cut(place, "=")
		if given, ok := places[place]; ok {
			text = strings.Join(given, "\n")
		}
		if text == "" && strings.TrimSpace(before+after) == "" {
			continue
		}
		b.WriteString(before + strings.ReplaceAll(text, "\n", "\n"+indent) + after)
	}
	return b.String()
}

// repeat is the text for each role or each type.
func repeat(text string, n int, each string) []string {
	var out []string
	if each == "type" {
		for t := range types(n) {
			out = append(out, ofType(t).Replace(strings.TrimSpace(text)))
		}
		return out
	}
	for r := range n {
		out = append(out, ofRole(r, n).Replace(strings.TrimSpace(text)))
	}
	return out
}

func typeName(t int) string { return fmt.Sprintf("t%d", t) }

// ofType replaces what templates and forms say of a type.
func ofType(t int) *strings.Replacer {
	return strings.NewReplacer("‹type›", typeName(t), "‹t›", fmt.Sprint(t))
}

// ofRole replaces what templates and forms say of a role: its values differ
// from one to the next.
func ofRole(r, n int) *strings.Replacer {
	return strings.NewReplacer(
		"‹role›", roleName(r),
		"‹next›", roleName((r+1)%n),
		"‹n›", fmt.Sprint(r),
		"‹roles›", fmt.Sprint(n),
		"‹type›", typeName(r%types(n)),
		"‹t›", fmt.Sprint(r%types(n)),
		"‹workers›", fmt.Sprint(1+r%64),
		"‹port›", fmt.Sprint(2000+r%5000),
		"‹level›", choices[r%len(choices)],
		"‹switch›", fmt.Sprint(r%2 == 0),
		"‹hsize›", fmt.Sprint(1+r%3),
	)
}

func names(forms []Form) []string {
	var out []string
	for _, f := range forms {
		out = append(out, f.Name)
	}
	return out
}
