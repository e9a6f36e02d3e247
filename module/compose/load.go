package compose

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/compose-spec/compose-go/v2/interpolation"
	"github.com/compose-spec/compose-go/v2/override"
	"github.com/compose-spec/compose-go/v2/transform"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/go-viper/mapstructure/v2"
	"go.yaml.in/yaml/v3"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
)

// load reads the text as Compose does, by the parts of Compose's own library. What puts
// them together there is not used: it compiles a JSON Schema whenever the program starts,
// for every command. A test compares the two.
func (a *application) load(file string, text []byte) (err error) {
	defer func() {
		if p := recover(); p != nil { // the library takes for granted that a schema was checked
			err = fmt.Errorf("%s is not of the form that Compose files have: %v", file, p)
		}
	}()
	if bytes.ContainsRune(text, open) || bytes.ContainsRune(text, shut) {
		return fmt.Errorf("%s has characters for private use in it", file)
	}
	env, err := a.dotenv()
	if err != nil {
		return err
	}
	if a.model, err = merged(text, env); err == nil {
		a.project, err = project(a.model)
	}
	if err == nil {
		err = a.whether()
	}
	if err != nil {
		return fmt.Errorf("%s: %s", file, unmarked(err.Error()))
	}
	return nil
}

// merged is the tree of a Compose file, in which everything is written in one way. Its
// documents are laid over each other.
func merged(text []byte, env variables) (map[string]any, error) {
	all := map[string]any{}
	for d := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var document any
		if err := d.Decode(&document); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		tree, ok := named(document).(map[string]any)
		if !ok {
			return nil, errors.New("it holds no services")
		}
		if include, ok := tree["include"]; ok {
			return nil, fmt.Errorf("include: %v: %w", include, errOther)
		}
		tree, err := interpolation.Interpolate(tree, interpolation.Options{LookupValue: env.lookup, Substitute: env.substitute})
		if err != nil {
			return nil, err
		}
		if err := extended(tree); err != nil {
			return nil, err
		}
		if all, err = override.Merge(all, tree); err != nil {
			return nil, err
		}
	}
	all, err := override.EnforceUnicity(all)
	if err != nil {
		return nil, err
	}
	delete(all, "version")
	if all, err = transform.Canonical(all, false); err != nil {
		return nil, err
	}
	return transform.SetDefaultValues(all)
}

// errOther refuses the files that a Compose file is made of beside itself.
var errOther = errors.New("this is another file; put them together first: docker compose config --no-interpolate > whole.yaml")

// named is a tree of YAML with texts for keys.
func named(value any) any {
	switch value := value.(type) {
	case map[any]any:
		out := map[string]any{}
		for k, v := range value {
			out[fmt.Sprint(k)] = named(v)
		}
		return out
	case map[string]any:
		for k, v := range value {
			value[k] = named(v)
		}
	case []any:
		for i, v := range value {
			value[i] = named(v)
		}
	}
	return value
}

// extended puts what services extend below them.
func extended(tree map[string]any) error {
	services, _ := tree["services"].(map[string]any)
	for _, name := range sorting.Ordered(services) {
		if err := extend(services, name, nil); err != nil {
			return err
		}
	}
	return nil
}

func extend(services map[string]any, name string, above []string) error {
	service, _ := services[name].(map[string]any)
	from := service["extends"]
	if from == nil {
		return nil
	}
	base, _ := from.(string)
	if long, ok := from.(map[string]any); ok {
		if long["file"] != nil {
			return fmt.Errorf("services.%s.extends.file: %v: %w", name, long["file"], errOther)
		}
		base, _ = long["service"].(string)
	}
	switch above = append(above, name); {
	case services[base] == nil:
		return fmt.Errorf("services.%s.extends: there is no service %s", name, base)
	case filter.Contains(above, base):
		return fmt.Errorf("services.%s.extends: %s extends itself", name, base)
	}
	if err := extend(services, base, above); err != nil {
		return err
	}
	delete(service, "extends")
	whole, err := override.ExtendService(copied(services[base].(map[string]any)), service)
	services[name] = whole
	return err
}

// copied is a tree that shares nothing with another.
func copied(tree map[string]any) map[string]any {
	out := map[string]any{}
	for k, v := range tree {
		switch value := v.(type) {
		case map[string]any:
			v = copied(value)
		case []any:
			v = slices.Clone(value)
		}
		out[k] = v
	}
	return out
}

// project reads a tree into the library's types. A key that these do not have is an
// error, as it is in Compose.
func project(tree map[string]any) (*types.Project, error) {
	var p types.Project
	read := mapstructure.Metadata{}
	d, err := mapstructure.NewDecoder(&mapstructure.DecoderConfig{
		Result: &p, TagName: "yaml", Squash: true, WeaklyTypedInput: true, Metadata: &read,
		DecodeHook: func(from, to reflect.Value) (any, error) {
			if to.Kind() == reflect.Pointer && to.IsNil() {
				to.Set(reflect.New(to.Type().Elem()))
			} else if to.Kind() != reflect.Pointer && to.CanAddr() {
				to = to.Addr()
			}
			if own, ok := to.Interface().(interface{ DecodeMapstructure(any) error }); ok {
				return to.Interface(), own.DecodeMapstructure(from.Interface())
			}
			return from.Interface(), nil
		},
	})
	if err != nil {
		return nil, err
	}
	if err := d.Decode(tree); err != nil {
		return nil, err
	}
	slices.Sort(read.Unused)
	for _, key := range read.Unused {
		parts := strings.FieldsFunc(key, func(r rune) bool { return strings.ContainsRune(".[]", r) })
		if !filter.Any(parts, func(part string) bool { return strings.HasPrefix(part, "x-") }) {
			return nil, fmt.Errorf("%s is no key of Compose's", strings.ToLower(strings.NewReplacer("[", ".", "]", "").Replace(key)))
		}
	}
	for name, s := range p.Services {
		s.Name = name
		p.Services[name] = s
	}
	return &p, nil
}

// whether reports what a Compose file cannot do without.
func (a *application) whether() error {
	switch n := len(a.project.Services); {
	case n == 0:
		return errors.New("it has no services")
	case n > maxServices:
		return fmt.Errorf("it has more than %d services", maxServices)
	}
	for _, name := range sorting.Ordered(a.project.Services) {
		if s := a.project.Services[name]; s.Image == "" && s.Build == nil {
			return fmt.Errorf("services.%s has neither an image nor says how to build one", name)
		}
	}
	return nil
}
