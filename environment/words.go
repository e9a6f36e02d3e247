package environment

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"kumiki.dev/diag"
	"kumiki.dev/internal/publickey"
	"kumiki.dev/targets"
	"kumiki.dev/value"
)

// words finds the names in an environment that are none where it counts. The data is what
// it was read from, and file what its file is called.
func (e *Environment) words(d *value.Data, file string) (problems diag.List) {
	wrong := func(format string, args []any, path ...string) {
		problems = append(problems, diag.New(diag.EnvironmentWord, d.Get(path...).Pos, format, args...).AtPath(path...))
	}
	switch {
	case CheckName(e.Name) != nil:
		wrong("%v", []any{CheckName(e.Name)}, "name")
	case e.Name != file:
		problems = append(problems, diag.New(diag.EnvironmentName, d.Get("name").Pos, "environment %s is in %s.cue: write name: %q, or call the file %s.cue", e.Name, file, file, e.Name))
	}
	if e.Namespace != "" && len(validation.IsDNS1123Label(e.Namespace)) > 0 {
		wrong("%q is no namespace: it has small letters, digits and hyphens, 63 at most", []any{e.Namespace}, "namespace")
	}
	for _, deployment := range targets.Keys(e.Namespaces) {
		if len(validation.IsDNS1123Label(e.Namespaces[deployment])) > 0 {
			wrong("%q is no namespace: it has small letters, digits and hyphens, 63 at most", []any{e.Namespaces[deployment]}, "namespaces", deployment)
		}
	}
	for i, key := range e.Keys {
		if _, err := publickey.Parse([]byte(key)); err != nil {
			problems = append(problems, diag.New(diag.EnvironmentWord, d.Get("keys").Items[i].Pos, "keys: the text %v", err).AtPath("keys"))
		}
	}
	for _, class := range []struct{ field, name string }{{"ingressClass", e.Options.IngressClass}, {"volatileClass", e.Options.VolatileClass}} {
		if class.name != "" && len(validation.IsDNS1123Subdomain(class.name)) > 0 {
			wrong("%q is no class: small letters, digits, hyphens and dots", []any{class.name}, "options", class.field)
		}
	}
	for _, key := range targets.Keys(e.Labels) {
		switch text := ownLabel(key); {
		case text != "":
			wrong("%s", []any{text}, "labels", key)
		case len(validation.IsQualifiedName(key)) > 0:
			wrong("%q is no label: letters, digits, and - _ . between them, 63 at most", []any{key}, "labels", key)
		case len(validation.IsValidLabelValue(e.Labels[key])) > 0:
			wrong("%q is no value of a label: letters, digits, and - _ . between them, 63 at most", []any{e.Labels[key]}, "labels", key)
		}
	}
	for _, id := range targets.Keys(e.Resource.Domain) {
		host := e.Resource.Domain[id].Host
		if len(validation.IsDNS1123Subdomain(strings.TrimPrefix(host, "*."))) > 0 {
			wrong("%q is no name of a host: small letters, digits, hyphens and dots, such as shop.example.com", []any{host}, "resource", "domain", id, "host")
		}
	}
	for _, id := range targets.Keys(e.Resource.Volume) {
		if class := e.Resource.Volume[id].Class; class != "" && len(validation.IsDNS1123Subdomain(class)) > 0 {
			wrong("%q is no class: small letters, digits, hyphens and dots", []any{class}, "resource", "volume", id, "class")
		}
	}
	return problems
}

// CheckName says what is wrong with the name of an environment, which is a part of names
// of solutions, and of files.
func CheckName(name string) error {
	if len(name) > 40 || len(validation.IsDNS1123Label(name)) > 0 {
		return fmt.Errorf("%q is no name of an environment: it has small letters, digits and hyphens, 40 at most, such as eu-prod", name)
	}
	return nil
}
