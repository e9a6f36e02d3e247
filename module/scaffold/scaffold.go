// Package scaffold makes the beginnings of modules and of what is in them: files that
// compile as they are, with comments that say what to change.
package scaffold

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"strconv"
	"strings"
	"text/template"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/mod/module"
	"github.com/distribution/reference"
	"golang.org/x/tools/txtar"

	"kumiki.dev/internal/lazyregexp"
)

// File is one to write; its name has slashes.
type File struct {
	Name string
	Data []byte
}

// The systems whose configuration [Module] makes.
const (
	GitHub = "github"
	GitLab = "gitlab"
)

//go:embed templates
var templates embed.FS

// word is a name of a module's part: that of a directory, a package, a deployment.
var word = lazyregexp.New(`^[a-z]([a-z0-9-]{0,38}[a-z0-9])?$`)

// Name is the text where it is fit for a name of such a thing.
func Name(text, of, such string) (string, error) {
	if !word().MatchString(text) {
		return "", fmt.Errorf("%q is no name of %s: small letters, digits and hyphens, such as %s", text, of, such)
	}
	return text, nil
}

// Module is the files of a module that compiles, runs and is tested: a web server, a
// service that lets requests in to it, a deployment, an example. Its path is
// example.com/NAME@v0 unless another is given; ci is [GitHub], [GitLab] or "".
func Module(name, path, ci string) ([]File, error) {
	path, err := ModulePath(name, path)
	if err != nil {
		return nil, err
	}
	files, err := filled("module", moduleValues(name, path))
	if err != nil {
		return nil, err
	}
	more, err := System(name, path, ci)
	return append(files, more...), err
}

// ModulePath is the path of a module for an application of that name: example.com/NAME@v0
// unless another is given.
func ModulePath(name, path string) (string, error) {
	if _, err := Name(name, "an application", "shop"); err != nil {
		return "", err
	}
	path = cmp.Or(path, "example.com/"+name)
	if !strings.Contains(path, "@") {
		path += "@v0"
	}
	if err := module.CheckPath(path); err != nil {
		return "", fmt.Errorf("module %s: %w; write a path such as example.com/shop@v1", path, err)
	}
	return path, nil
}

// System is the configuration of a system that checks a module, [GitHub] or [GitLab];
// nothing for "".
func System(name, path, ci string) ([]File, error) {
	if ci == "" {
		return nil, nil
	}
	return filled(ci, moduleValues(name, path))
}

func moduleValues(name, path string) map[string]string {
	bare, _, _ := strings.Cut(path, "@")
	return map[string]string{"Name": name, "Module": path, "Path": bare}
}

// Port is one that a component listens at.
type Port struct {
	Channel, Protocol string
	Number            int
}

// usualPorts are those whose protocol is told by their number.
var usualPorts = map[int]string{80: "http", 443: "http", 3000: "http", 5000: "http", 8000: "http", 8080: "http", 8081: "http", 9090: "http"}

var portForm = lazyregexp.New(`^(?:([A-Za-z][A-Za-z0-9_-]*)=)?([0-9]{1,5})(?:/(http|grpc|tcp|udp))?$`)

// ParsePort reads [CHANNEL=]NUMBER[/PROTOCOL]. Protocols are http, grpc, tcp and udp; http
// is that of the usual ports of web servers, tcp that of others.
func ParsePort(text string) (Port, error) {
	m := portForm().FindStringSubmatch(text)
	if m == nil {
		return Port{}, fmt.Errorf("%q is no port: write 8080, 5432/tcp or metrics=9090/http", text)
	}
	n, _ := strconv.Atoi(m[2]) // it has digits only
	if n < 1 || n > 65535 {
		return Port{}, fmt.Errorf("%q is no port: its number is from 1 to 65535", text)
	}
	p := Port{Channel: m[1], Protocol: cmp.Or(m[3], usualPorts[n], "tcp"), Number: n}
	if p.Channel == "" {
		p.Channel = p.Protocol
	}
	return p, nil
}

// Component is the file of a component that runs an image, in a directory of its name.
func Component(name, image string, ports []Port) ([]File, error) {
	if _, err := Name(name, "a component", "api"); err != nil {
		return nil, err
	}
	ref, err := reference.ParseNormalizedNamed(image)
	if err != nil {
		return nil, fmt.Errorf("%q is no image: %w; write ghcr.io/team/api:1.2.3, with @sha256:… if it is known", image, err)
	}
	values := map[string]any{"Name": name, "Key": label(name), "Ports": ports, "Tag": image, "User": unprivileged}
	if d, ok := ref.(reference.Digested); ok {
		values["Digest"] = d.Digest().String()
		values["Tag"] = strings.TrimSuffix(image, "@"+d.Digest().String())
	}
	if err := distinct(ports); err != nil {
		return nil, err
	}
	if len(ports) > 0 {
		values["Probe"] = probe(ports[0])
	}
	files, err := filled("component", values)
	for i := range files {
		files[i].Name = name + "/" + files[i].Name
	}
	return files, err
}

// unprivileged is a user that no image and no node has.
const unprivileged = 10001

// distinct refuses two channels of one name.
func distinct(ports []Port) error {
	seen := map[string]bool{}
	for _, p := range ports {
		if seen[p.Channel] {
			return fmt.Errorf("two ports would both be channel %s: give them names, such as %s=%d/%s", p.Channel, "other", p.Number, p.Protocol)
		}
		seen[p.Channel] = true
	}
	return nil
}

// probe is how a component is asked for its health at a port; "" for datagrams, to which
// nobody has to answer.
func probe(p Port) string {
	port := "srv.server." + label(p.Channel) + ".port"
	switch p.Protocol {
	case "http":
		return fmt.Sprintf(`http: {port: %s, path: "/"}`, port)
	case "grpc":
		return "grpc: port: " + port
	case "tcp":
		return "tcp: port: " + port
	}
	return ""
}

// label quotes a name where CUE needs that.
func label(name string) string { return cue.MakePath(cue.Str(name)).String() }

// filled are the files of a template.
func filled(name string, values any) ([]File, error) {
	text, err := templates.ReadFile("templates/" + name + ".txtar")
	if err != nil {
		return nil, fmt.Errorf("there is no template %s", name)
	}
	t, err := template.New(name).Option("missingkey=zero").Funcs(template.FuncMap{"label": label}).Parse(string(text))
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := t.Execute(&out, values); err != nil {
		return nil, err
	}
	var files []File
	for _, f := range txtar.Parse(out.Bytes()).Files {
		if strings.HasSuffix(f.Name, ".cue") {
			if f.Data, err = format.Source(f.Data); err != nil {
				return nil, fmt.Errorf("%s: %w", f.Name, err)
			}
		}
		files = append(files, File{f.Name, f.Data})
	}
	return files, nil
}
