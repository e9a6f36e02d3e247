// Package jsonfields says which fields of a struct JSON has, as encoding/json reads
// their tags.
package jsonfields

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
)

// Field is a field of a struct by its key in JSON.
type Field struct {
	Key string
	// Index leads to the field, through structs that are embedded without a key.
	Index               []int
	Type                reflect.Type
	omitEmpty, omitZero bool
}

// Table knows the fields of types that it was asked about before.
type Table map[reflect.Type][]Field

// Of is the function [Of], which reads the tags of a type once.
func (t Table) Of(of reflect.Type) []Field {
	fields, known := t[of]
	if !known {
		fields = Of(of)
		t[of] = fields
	}
	return fields
}

// Of are the fields of a type of structs, in the order of their declaration.
func Of(t reflect.Type) []Field { return appendFields(nil, t, nil) }

func appendFields(to []Field, t reflect.Type, at []int) []Field {
	for i := range t.NumField() {
		f := t.Field(i)
		index := append(slices.Clip(at), i)
		key, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case key == "" && f.Anonymous && f.Type.Kind() == reflect.Struct:
			to = appendFields(to, f.Type, index)
		case key == "-" || !f.IsExported():
		default:
			has := strings.Split(options, ",")
			to = append(to, Field{cmp.Or(key, f.Name), index, f.Type, slices.Contains(has, "omitempty"), slices.Contains(has, "omitzero")})
		}
	}
	return to
}

// Omitted reports whether JSON leaves out the field with a value.
func (f Field) Omitted(v reflect.Value) bool {
	return f.omitEmpty && empty(v) || f.omitZero && v.IsZero()
}

func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}
