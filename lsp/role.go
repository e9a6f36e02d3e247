package lsp

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"kumiki.dev/internal/secretlike"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/spread"
	"kumiki.dev/value"
)

// roleRequest asks what fills a role.
type roleRequest struct {
	Package string `json:"package"` // of the service, as [symbol] has it
	Name    string `json:"name"`
}

// role asks what fills a role in a deployment that has the file's service; "" where there
// is none.
func (s *server) role(ctx context.Context, file string, of symbol) string {
	asking, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	s.mu.Lock()
	var dirs []string
	for _, dir := range sorting.Ordered(s.targets) {
		if t := s.targets[dir]; t.good != nil && t.good.Deployment && t.reaches(file) {
			dirs = append(dirs, dir)
		}
	}
	s.mu.Unlock()
	for _, dir := range dirs {
		r, err := s.child.do(asking, request{Dir: dir, Role: &roleRequest{of.pkg, of.name}})
		if err != nil {
			return ""
		}
		if r.Why != "" {
			return r.Why
		}
	}
	return ""
}

// role says what fills a role of a service in the last good tree of a directory, as
// Markdown. Where the service is used several times, it is the first of these.
func (w *worker) role(dir string, r roleRequest) string {
	return w.hover(dir, func(tree *value.Tree) string { return roleText(tree, r, w.secrets[dir]) })
}

func roleText(tree *value.Tree, r roleRequest, secrets *secretlike.Set) string {
	d := &describer{tree: tree, sources: newSources(nil)}
	found, places := d.roleOf(r)
	if found == nil {
		return ""
	}
	v := &roleView{describer: d, service: found.service, role: found.role, known: secrets}
	v.head(places)
	v.runs()
	v.channels()
	v.config()
	return v.String()
}

// filled is a role of a service.
type filled struct {
	service *value.Node
	role    *value.Role
}

// roleOf finds a role, and counts the places where it is filled.
func (d *describer) roleOf(r roleRequest) (first *filled, places int) {
	var walk func(n *value.Node)
	walk = func(n *value.Node) {
		if n == nil || n.Unknown {
			return
		}
		own := d.packageName(n) == r.Package
		for _, role := range n.Roles {
			if own && role.Name == r.Name && role.Node != nil && !role.Node.Unknown {
				places++
				first = cmp.Or(first, &filled{n, role})
			}
			walk(role.Node)
		}
	}
	walk(d.tree.Root)
	return first, places
}

// packageName is the package of an artifact, as [symbol] has it.
func (d *describer) packageName(n *value.Node) string {
	p := spread.PackageOf(n)
	if p == nil || len(p.Files) == 0 {
		return ""
	}
	return filepath.Dir(d.sources.real(p.Files[0].Filename)) + ":" + p.Files[0].PackageName()
}

// roleView writes what is known of a role.
type roleView struct {
	*describer
	strings.Builder
	service *value.Node
	role    *value.Role
	known   *secretlike.Set
}

func (v *roleView) head(places int) {
	n := v.role.Node
	version := strings.Trim(strings.ReplaceAll(fmt.Sprint(n.Ref.Version), " ", "."), "[]")
	kind := n.Ref.Kind
	if n.Builtin {
		kind = "builtin"
	}
	fmt.Fprintf(v, "\nfilled by %s **%s** %s", kind, n.Called(), version)
	if places > 1 {
		fmt.Fprintf(v, ", in %d places, of which this is one", places)
	}
	v.WriteString("\n\n")
}

// runs is how many instances there are of a component, and what each may take; of a
// service, its roles.
func (v *roleView) runs() {
	n := v.role.Node
	if count := n.Config.Get("scale", "hsize"); count != nil {
		fmt.Fprintf(v, "- %s\n", strings.TrimSuffix(plural(atLeastZero(count.Text), "instance")+" with "+v.sizes(), " with "))
	}
	if len(n.Roles) > 0 {
		var names []string
		for _, r := range n.Roles {
			names = append(names, r.Name)
		}
		fmt.Fprintf(v, "- roles: %s\n", short(strings.Join(names, ", ")))
	}
}

// sizes are what the containers of an instance may take.
func (v *roleView) sizes() string {
	var out []string
	containers := v.role.Node.Description.Get("code").Each()
	for _, c := range containers {
		size := c.Value.Get("size")
		amount := func(of string) string {
			x := size.Get(of)
			if x.Get("size") == nil {
				return ""
			}
			return x.Get("size").Text + x.Get("unit").Str()
		}
		if amount("cpu") == "" {
			continue
		}
		text := amount("cpu") + " CPU and " + amount("memory") + " memory"
		if len(containers) > 1 {
			text = c.Name + ": " + text
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// channels are those of the artifact, and who is at their other ends.
func (v *roleView) channels() {
	srv := v.role.Node.Description.Get("srv")
	for _, side := range []struct{ name, says string }{{"server", "serves"}, {"client", "calls"}, {"duplex", "talks by"}} {
		for _, c := range srv.Get(side.name).Each() {
			fmt.Fprintf(v, "- %s `%s`", side.says, c.Name)
			if protocol := c.Value.Get("protocol"); protocol != nil {
				v.WriteString(", " + protocol.Str())
			}
			if port := c.Value.Get("port"); port != nil {
				v.WriteString(" at port " + port.Text)
			}
			if others := v.others(c.Name); len(others) > 0 {
				v.WriteString(": " + strings.Join(others, ", "))
			}
			v.WriteByte('\n')
		}
	}
}

// others are the other ends of the connectors at a channel.
func (v *roleView) others(channel string) []string {
	var out []string
	for _, c := range v.service.Description.Get("connect").Each() {
		var from, to []string
		begins, ends := false, false
		for _, f := range c.Value.Get("from").Each() {
			begins = begins || f.Name == v.role.Name && f.Value.Str() == channel
			from = append(from, f.Name+"."+f.Value.Str())
		}
		for _, t := range c.Value.Get("to").Each() {
			for _, ch := range t.Value.Each() {
				ends = ends || t.Name == v.role.Name && ch.Name == channel
				to = append(to, t.Name+"."+ch.Name)
			}
		}
		by := " by connector " + c.Name
		if begins {
			out = append(out, "to "+strings.Join(to, ", ")+by)
		}
		if ends {
			out = append(out, "from "+strings.Join(from, ", ")+by)
		}
	}
	return out
}

// mostValues bounds the values of a config that are listed.
const mostValues = 12

// config are the values that have reached the role, and who gave each.
func (v *roleView) config() {
	var lines []string
	for _, section := range []string{"parameter", "resource"} {
		v.role.Node.Config.Get(section).Walk([]string{section}, func(path []string, d *value.Data) bool {
			if len(d.Fields) > 0 || len(path) == 1 {
				return true
			}
			line := fmt.Sprintf("- `%s` = `%s`", join(nil, path), short(hideJSON(v.known, append([]string{"config"}, path...), d.JSON())))
			if by := v.by(d.Origin); by != "" {
				line += ", " + by
			}
			lines = append(lines, line+"\n")
			return false
		})
	}
	for i, line := range lines {
		if i == mostValues {
			fmt.Fprintf(v, "- and %d more\n", len(lines)-i)
			break
		}
		v.WriteString(line)
	}
}

// atLeastZero is a number in a source, 0 for one that is none.
func atLeastZero(text string) int {
	n := 0
	_, _ = fmt.Sscan(text, &n)
	return max(0, n)
}

// firstRole is the role among symbols, nil for none.
func firstRole(list []symbol) *symbol {
	for i := range list {
		if list[i].kind == roleSymbol {
			return &list[i]
		}
	}
	return nil
}
