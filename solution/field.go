package solution

import (
	"fmt"
	"strconv"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/internal/jsondata"
	"kumiki.dev/internal/sorting"
)

// Field is the value at a path of a deployment, as data: name, or a field of its meta or
// config, such as config.parameter.host. A name with a dot is in quotes. Missing says
// what is not there, "" if it is.
func (d *Deployment) Field(path string) (value any, missing string) {
	names, ok := splitField(path)
	if !ok {
		return nil, fmt.Sprintf("field %q: it is no path", path)
	}
	value, err := jsondata.Of(map[string]any{"name": d.Name, "meta": d.Meta, "config": d.Config})
	if err != nil {
		return nil, err.Error()
	}
	for _, name := range names {
		members, _ := value.(map[string]any)
		next, ok := members[name]
		if !ok {
			names := sorting.Ordered(members)
			if near, ok := diag.Nearest(name, names); ok {
				return nil, path + "; did you mean " + near + "?"
			}
			return nil, strings.TrimSuffix(path+"; there is "+strings.Join(names, ", "), "; there is ")
		}
		value = next
	}
	return value, ""
}

// JoinField is the path that [Deployment.Field] takes apart again.
func JoinField(names ...string) string {
	var out []string
	for _, name := range names {
		if name == "" || strings.ContainsAny(name, `."`) {
			name = strconv.Quote(name)
		}
		out = append(out, name)
	}
	return strings.Join(out, ".")
}

// splitField takes a path apart; false for what is none.
func splitField(path string) (names []string, ok bool) {
	for {
		name := path
		if quoted, err := strconv.QuotedPrefix(path); err == nil && strings.HasPrefix(path, `"`) {
			path = path[len(quoted):]
			name, _ = strconv.Unquote(quoted) // it has just been found to be one
		} else {
			name, _, _ = strings.Cut(path, ".")
			if path = path[len(name):]; name == "" || strings.ContainsAny(name, "\" \t[](){}") {
				return nil, false
			}
		}
		names = append(names, name)
		if path == "" {
			return names, true
		}
		if !strings.HasPrefix(path, ".") {
			return nil, false
		}
		path = path[1:]
	}
}
