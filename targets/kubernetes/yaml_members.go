package kubernetes

import (
	"bytes"
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// member is a field of a struct or an entry of a map, whose value is resolved.
type member struct {
	key   string
	value reflect.Value
}

var (
	numberType    = reflect.TypeFor[json.Number]()
	quantityType  = reflect.TypeFor[resource.Quantity]()
	intstrType    = reflect.TypeFor[intstr.IntOrString]()
	marshalerType = reflect.TypeFor[json.Marshaler]()
)

// resolve is the value behind pointers and interfaces, as JSON has it; the zero
// Value for null.
func (w *writer) resolve(v reflect.Value) reflect.Value {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if !v.IsValid() {
		return v
	}
	switch t := v.Type(); {
	case t == numberType, v.Kind() == reflect.String, v.Kind() == reflect.Bool, v.CanInt():
		return v
	case t == quantityType:
		q := v.Interface().(resource.Quantity)
		return reflect.ValueOf(q.String())
	case t == intstrType:
		x := v.Interface().(intstr.IntOrString)
		if x.Type == intstr.Int {
			return reflect.ValueOf(x.IntVal)
		}
		return reflect.ValueOf(x.StrVal)
	case reflect.PointerTo(t).Implements(marshalerType): // whatever has it, its pointer has
	case (v.Kind() == reflect.Slice || v.Kind() == reflect.Map) && v.IsNil():
		return reflect.Value{}
	case isObject(v), v.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8:
		return v
	}
	plain, err := byJSON(v.Interface())
	if err != nil {
		w.err = err
	}
	return reflect.ValueOf(plain)
}

// byJSON is the value as it is after a way through JSON.
func byJSON(value any) (any, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var plain any
	err = dec.Decode(&plain)
	return plain, err
}

func isObject(v reflect.Value) bool { return v.Kind() == reflect.Struct || v.Kind() == reflect.Map }

// void are fields that say nothing when they are empty. In others, such as
// selectors, nothing is something.
var void = map[string]bool{"creationTimestamp": true, "strategy": true, "updateStrategy": true, "resources": true, "status": true, "spec": true}

// collect adds the members of a map or struct that are written, sorted by their
// keys.
func (w *writer) collect(v reflect.Value) {
	from := len(w.members)
	if v.Kind() == reflect.Struct {
		for _, f := range fieldsOf(v.Type()) {
			value := v.FieldByIndex(f.index)
			if f.omitEmpty && emptyJSON(value) || f.omitZero && value.IsZero() {
				continue
			}
			w.add(f.key, value)
		}
		return
	}
	for entries := v.MapRange(); entries.Next(); {
		w.add(entries.Key().String(), entries.Value())
	}
	slices.SortFunc(w.members[from:], func(a, b member) int { return cmp.Compare(a.key, b.key) })
}

// add adds a member, unless it is one that is left out where it says nothing.
func (w *writer) add(key string, value reflect.Value) {
	value = w.resolve(value)
	if void[key] {
		if !value.IsValid() {
			return
		}
		if isObject(value) {
			from := len(w.members)
			w.collect(value)
			empty := len(w.members) == from
			if w.members = w.members[:from]; empty {
				return
			}
		}
	}
	w.members = append(w.members, member{key, value})
}

// emptyJSON tells what encoding/json leaves out where it is told omitempty.
func emptyJSON(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

// field is a field of a struct, by its key in JSON.
type field struct {
	key                 string
	index               []int
	omitEmpty, omitZero bool
}

// knownFields are the fields of types that have been asked for.
var knownFields sync.Map

// fieldsOf are the fields of a struct that JSON has, sorted by their keys; those
// of structs that are embedded without a key among them.
func fieldsOf(t reflect.Type) []field {
	if known, ok := knownFields.Load(t); ok {
		return known.([]field)
	}
	fields := appendFields(nil, t, nil)
	slices.SortFunc(fields, func(a, b field) int { return cmp.Compare(a.key, b.key) })
	knownFields.Store(t, fields)
	return fields
}

func appendFields(to []field, t reflect.Type, at []int) []field {
	for i := range t.NumField() {
		f := t.Field(i)
		index := append(slices.Clip(at), i)
		key, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case key == "-" || !f.IsExported():
		case key == "" && f.Anonymous && f.Type.Kind() == reflect.Struct:
			to = appendFields(to, f.Type, index)
		default:
			has := strings.Split(options, ",")
			to = append(to, field{cmp.Or(key, f.Name), index, slices.Contains(has, "omitempty"), slices.Contains(has, "omitzero")})
		}
	}
	return to
}
