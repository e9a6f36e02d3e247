package compiler

import (
	"slices"
	"strings"

	"kumiki.dev/internal/sorting"
	"kumiki.dev/spread"
	"kumiki.dev/value"
)

// call replaces the names by which a manifest refers to other deployments, in up, $from,
// links and accepts, with the names that these have in the environment.
func (in *Input) call(base *spread.Top) {
	if len(in.Called) == 0 {
		return
	}
	if base.Up != nil {
		up := in.called(*base.Up)
		base.Up = &up
	}
	base.Config = in.callIn(base.Config, func(d *value.Data) string {
		if d.Get("field") != nil {
			return from
		}
		return ""
	})
	base.Links = in.callIn(base.Links, deploymentOf)
	base.Accepts = in.callIn(base.Accepts, deploymentOf)
}

// deploymentOf is the field of an end of a link that names a deployment.
func deploymentOf(*value.Data) string { return "deployment" }

// called returns the name of a deployment in the environment. The names of deployments below
// it, such as db.entry, begin with it.
func (in *Input) called(name string) string {
	return withTop(name, func(top string) string {
		if here, ok := in.Called[top]; ok {
			return here
		}
		return top
	})
}

// template is the inverse of called: the name by which a manifest refers to a deployment.
func (in *Input) template(name string) string {
	return withTop(name, func(top string) string {
		for _, template := range sorting.Ordered(in.Called) {
			if in.Called[template] == top {
				return template
			}
		}
		return top
	})
}

// withTop is a deployment's name with another name of the top that it is below.
func withTop(name string, to func(top string) string) string {
	top, rest, below := strings.Cut(name, ".")
	if below {
		return to(top) + "." + rest
	}
	return to(top)
}

// callIn replaces the names in data. For each struct, field says which of its fields holds a
// name, "" for none.
func (in *Input) callIn(d *value.Data, field func(*value.Data) string) *value.Data {
	if d == nil {
		return nil
	}
	var paths [][]string
	var names []*value.Data
	d.Walk(nil, func(path []string, x *value.Data) bool {
		name := ""
		if x.Kind == value.Struct {
			name = field(x)
		}
		if text := x.Get(name); name != "" && text != nil && text.Kind == value.String && in.called(text.Text) != text.Text {
			here := *text
			here.Text = in.called(text.Text)
			paths, names = append(paths, append(slices.Clip(path), name)), append(names, &here)
		}
		return true
	})
	for i, path := range paths {
		d = d.With(path, names[i])
	}
	return d
}
