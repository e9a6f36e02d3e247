package model_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/schema/model"
	"kumiki.dev/targets"
)

// TestExamples: every field has an example, and every example is of fields that there are.
func TestExamples(t *testing.T) {
	t.Parallel()
	for _, f := range model.All() {
		if f.Example() == nil {
			t.Errorf("%s has no example: add one to examples.txtar", f.Name())
		}
	}
	seen := map[string]bool{}
	for _, x := range model.Examples() {
		for _, name := range x.Of {
			require.NotNil(t, model.Lookup(name), "there is an example of %s, which is no field", name)
			require.False(t, seen[name], "%s has two examples", name)
			seen[name] = true
		}
		require.Len(t, x.Becomes, 2, "%s: run UPDATE_GOLDEN=1 go test ./schema/model", x.Of[0])
	}
}

// TestComments: every field says what it is, in a sentence.
func TestComments(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, f := range model.All() {
		require.False(t, names[f.Name()], "%s is there twice", f.Name())
		names[f.Name()] = true
		require.NotEmpty(t, f.Sentence(), f.Name())
		require.NotEmpty(t, f.Type, f.Name())
		require.NotContains(t, f.Type, "//", f.Name())
	}
	for _, topic := range model.Topics() {
		require.NotEmpty(t, topic.Title, topic.Name)
		require.NotEmpty(t, topic.Text, topic.Name)
	}
}

// TestHints: the hints that are described are those that targets read.
func TestHints(t *testing.T) {
	t.Parallel()
	var read, described []string
	var collect func(at string, of reflect.Type)
	collect = func(at string, of reflect.Type) {
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
			of = of.Elem()
		}
		if of.Kind() != reflect.Struct {
			return
		}
		for i := range of.NumField() {
			if name := of.Field(i).Tag.Get("json"); name != "" && name != "-" {
				name, _, _ = strings.Cut(name, ",")
				if name != "kind" { // of an amount, which says what it is of
					read = append(read, at+"."+name)
					collect(at+"."+name, of.Field(i).Type)
				}
			}
		}
	}
	collect("meta", reflect.TypeFor[targets.Hints]())
	for _, f := range model.All() {
		if strings.HasPrefix(f.Name(), "meta.") {
			described = append(described, f.Name())
		}
	}
	slices.Sort(read)
	slices.Sort(described)
	require.Equal(t, read, described)
}

// TestFind tries paths as people write them.
func TestFind(t *testing.T) {
	t.Parallel()
	tests := []struct{ path, field, beside, near string }{
		{path: "config.scale", field: "config.scale"},
		{path: "description.config.scale.hsize", field: "config.scale.hsize"},
		{path: "srv.server.port", field: "srv.server.NAME.port"},
		{path: "srv.server.rest.port", field: "srv.server.NAME.port"},
		{path: "code.api.image", field: "code.NAME.image"},
		{path: "image.tag", field: "code.NAME.image.tag"},
		{path: "probe", field: "probe"},
		{path: "code.probe", field: "probe", beside: "code"},
		{path: "probe.api.liveness.timeout", field: "probe.NAME.liveness.timeout"},
		{path: "liveness.timeout", field: "probe.NAME.liveness.timeout"},
		{path: "role.api.config.scale.hsize", field: "config.scale.hsize"},
		{path: "#Deployment.config.resilience", field: "config.resilience"},
		{path: "role.api.meta.hpa.metrics", field: "meta.hpa.metrics"},
		{path: "deployment.meta.internet", field: "meta.internet"},
		{path: "env.PASSWORD.secret", field: "code.NAME.mapping.env.NAME.secret"},
		{path: "size", field: "size"},
		{path: "inbound.parameter", field: "inbound.config.parameter"},
		{path: "#Environment.resource.volume", field: "environment.resource.volume"},
		{path: "environment.resource.volume.data.class", field: "environment.resource.volume.NAME.class"},
		{path: "config.resource.volume", field: "config.resource.NAME.volume"},
		{path: "inbound.type", field: "inbound.config.parameter.type"},
		{path: "code.env.secret", field: "code.NAME.mapping.env.NAME.secret"},
		{path: "code.imgae", near: "code.image"},
		{path: "config.scal", near: "config.scale"},
		{path: "srv.sever.port", near: "srv.server.port"},
		{path: "nonsense"},
		{path: ""},
		{path: "..."},
		{path: "NAME"},
		{path: "code.NAME", field: "code.NAME"},
	}
	for _, test := range tests {
		found := model.Find(test.path)
		name := ""
		if found.Field != nil {
			name = found.Field.Name()
		}
		require.Equal(t, test.field, name, test.path)
		require.Equal(t, test.beside, found.Beside, test.path)
		require.Equal(t, test.near, found.Near, test.path)
	}
	require.Nil(t, model.Find("name").Field)
	require.Greater(t, len(model.Find("name").Others), 3)
	for _, f := range model.All() { // every field is found by its own name, and by its short one
		require.Equal(t, f, model.Find(f.Name()).Field, f.Name())
		found := model.Find(f.Short())
		require.True(t, found.Field == f || slices.Contains(found.Others, f) || found.Field != nil && holdsSame(found, f), f.Short())
	}
}

// holdsSame reports whether what was found has the field's short name too.
func holdsSame(found model.Found, f *model.Field) bool { return found.Field.Short() == f.Short() }
