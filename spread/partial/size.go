package partial

import (
	"strings"

	"kumiki.dev/internal/filter"
	"kumiki.dev/spread"
	"kumiki.dev/value"
)

// A component may make the number of its instances of its parameters:
//
//	config: {parameter: replicas: *1 | uint, scale: hsize: parameter.replicas}

// sized takes the number of instances out of what is said of the scale, to be made when the
// parameters are known; nil leaves it in.
func (s *schema) sized(size *passedAt) {
	s.fields = filter.Out(s.fields, func(f schemaField) bool { return size != nil && f.name == "hsize" })
}

// scale fills the section of a config that has its parameters. It is false where the number of
// instances is given as well, and both have to be the same; or where it is a default, which CUE
// places elsewhere than the parameter's.
func (res *residual) scale(r *runner, u *unit, config, given *value.Data, origin value.Origin) (*value.Data, bool) {
	out, ok := res.schema["scale"].section(r, given.Get("scale"), origin)
	if !ok || given.Get("scale", "hsize") != nil {
		return nil, false
	}
	put := res.size.Copied(given)
	if res.size.asks {
		put = res.size.madeByCUE(r, u, config, given, spread.Origins(spread.Givers(config), origin))
	}
	if put == nil || put.Kind != value.Int || strings.HasPrefix(put.Text, "-") {
		return nil, false
	}
	return out.Set("hsize", put), true
}
