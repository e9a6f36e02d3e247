package solution

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/internal/jsonfields"
)

// The bounds of what is read from a file that nobody vouches for.
const (
	maxDepth    = 1000 // of objects and lists in each other
	maxProblems = 100  // then the rest of the file is left unread
)

// shape compares JSON text with the Go type that it is going to be read into.
// Beyond what encoding/json reports, keys are compared to the letter, may not
// come twice, and null stands for nothing but an absent string; and it reports
// all that it finds, each with its place.
type shape struct {
	data     []byte
	file     *diag.File
	dec      *json.Decoder
	path     []string
	problems diag.List
	fields   map[reflect.Type]map[string]reflect.Type
	// visit, if not nil, is told of each value, outermost first.
	visit func(path []string, pos diag.Pos)
}

var (
	numberType    = reflect.TypeFor[json.Number]()
	unmarshalType = reflect.TypeFor[json.Unmarshaler]()
)

func newShape(data []byte, file *diag.File) *shape {
	s := &shape{data: data, file: file, dec: json.NewDecoder(bytes.NewReader(data)), fields: map[reflect.Type]map[string]reflect.Type{}}
	s.dec.UseNumber()
	return s
}

// check walks through the whole text, which is to be one value of type t; a nil
// t stands for any.
func (s *shape) check(t reflect.Type) diag.List {
	if s.value(t) {
		at := s.start()
		if _, err := s.dec.Token(); !errors.Is(err, io.EOF) {
			s.report(at, "something follows the solution: a file holds one")
		}
	}
	return s.problems
}

// value reads one value; false means that the text cannot be read any further.
func (s *shape) value(t reflect.Type) bool {
	at := s.start()
	if s.visit != nil {
		s.visit(s.path, s.pos(at))
	}
	tok, err := s.dec.Token()
	if err != nil {
		return s.syntax()
	}
	if t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
		if tok == nil && t.Kind() == reflect.String {
			return true
		}
	}
	switch {
	case t == nil || t.Kind() == reflect.Interface:
		return s.typed(nil, tok, at)
	case reflect.PointerTo(t).Implements(unmarshalType):
		return s.custom(t, tok, at)
	default:
		return s.typed(t, tok, at)
	}
}

// typed reads the rest of a value that begins with tok.
func (s *shape) typed(t reflect.Type, tok json.Token, at int) bool {
	ok := t == nil
	switch tok := tok.(type) {
	case json.Delim:
		if len(s.path) >= maxDepth {
			s.report(at, "more than %d levels of nesting", maxDepth)
			return false // what follows is inside, and would be taken for what is around
		}
		if tok == '{' {
			return s.object(t, at)
		}
		return s.list(t, at)
	case string:
		ok = ok || t.Kind() == reflect.String && t != numberType
	case bool:
		ok = ok || t.Kind() == reflect.Bool
	case json.Number:
		ok = ok || t == numberType
		if t != nil && isInt(t) {
			_, err := strconv.ParseInt(tok.String(), 10, t.Bits())
			ok = err == nil
		}
	}
	return ok || s.mismatch(t, tok, at)
}

// custom reads a value that reads itself.
func (s *shape) custom(t reflect.Type, tok json.Token, at int) bool {
	if !s.typed(nil, tok, at) {
		return false
	}
	err := json.Unmarshal(s.data[at:s.dec.InputOffset()], reflect.New(t).Interface())
	var bad *badResource
	if errors.As(err, &bad) {
		inner := append(slices.Clone(s.path), bad.path...)
		return s.reportAt(inner, at, "%s %s", dotted(inner), bad.text)
	}
	return err == nil || s.report(at, "%s: %v", s.where(), err)
}

func (s *shape) object(t reflect.Type, at int) bool {
	if t != nil && t.Kind() != reflect.Struct && t.Kind() != reflect.Map && !s.mismatch(t, json.Delim('{'), at) {
		return false
	}
	seen := map[string]bool{}
	for s.dec.More() {
		at := s.start()
		tok, err := s.dec.Token()
		if err != nil {
			return s.syntax()
		}
		key := tok.(string) // the decoder sees to it
		if seen[key] && !s.report(at, "key %s comes twice in %s", quoted(key), s.where()) {
			return false
		}
		seen[key] = true
		member, ok := s.member(t, key)
		if !ok && !s.report(at, "%s has key %s, which the format does not%s", s.where(), quoted(key), hint(key, s.keys(t))) {
			return false
		}
		if !s.below(key, member) {
			return false
		}
	}
	return s.close()
}

func (s *shape) list(t reflect.Type, at int) bool {
	var item reflect.Type
	if t != nil && t.Kind() == reflect.Slice {
		item = t.Elem()
	} else if t != nil && !s.mismatch(t, json.Delim('['), at) {
		return false
	}
	for i := 0; s.dec.More(); i++ {
		if !s.below(strconv.Itoa(i), item) {
			return false
		}
	}
	return s.close()
}

func (s *shape) below(name string, t reflect.Type) bool {
	s.path = append(s.path, name)
	ok := s.value(t)
	s.path = s.path[:len(s.path)-1]
	return ok
}

func (s *shape) close() bool {
	if _, err := s.dec.Token(); err != nil {
		return s.syntax()
	}
	return true
}

// member is the type of what lies under a key, nil for anything.
func (s *shape) member(t reflect.Type, key string) (reflect.Type, bool) {
	switch {
	case t != nil && t.Kind() == reflect.Map:
		return t.Elem(), true
	case t != nil && t.Kind() == reflect.Struct:
		member, ok := s.table(t)[key]
		return member, ok
	default:
		return nil, true
	}
}

// table is the types of a struct's members by their keys.
func (s *shape) table(t reflect.Type) map[string]reflect.Type {
	table, ok := s.fields[t]
	if !ok {
		table = map[string]reflect.Type{}
		for _, f := range jsonfields.Of(t) {
			table[f.Key] = f.Type
		}
		s.fields[t] = table
	}
	return table
}

func (s *shape) keys(t reflect.Type) []string {
	var keys []string
	for key := range s.table(t) {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func (s *shape) mismatch(t reflect.Type, tok json.Token, at int) bool {
	return s.report(at, "%s is %s, where the format has %s", s.where(), found(tok), typeName(t))
}

// found names a value, or the token that it begins with.
func found(x any) string {
	switch x := x.(type) {
	case nil:
		return "null"
	case string:
		return "a string"
	case bool:
		return "a bool"
	case json.Number:
		return fmt.Sprintf("the number %.40s", x)
	case []any:
		return "a list"
	case json.Delim:
		if x == '[' {
			return "a list"
		}
	}
	return "an object"
}

func typeName(t reflect.Type) string {
	switch {
	case t == numberType:
		return "a number"
	case t.Kind() == reflect.String:
		return "a string"
	case t.Kind() == reflect.Bool:
		return "a bool"
	case isInt(t):
		return "a whole number"
	case t.Kind() == reflect.Slice:
		return "a list"
	default:
		return "an object"
	}
}

func isInt(t reflect.Type) bool { return t.Kind() >= reflect.Int && t.Kind() <= reflect.Int64 }

// start is where the next token begins.
func (s *shape) start() int {
	at := int(s.dec.InputOffset())
	for at < len(s.data) && strings.IndexByte(" \t\r\n,:", s.data[at]) >= 0 {
		at++
	}
	return at
}

func (s *shape) pos(at int) diag.Pos { return s.file.Pos(at) }

func (s *shape) where() string {
	if len(s.path) == 0 {
		return "the solution"
	}
	return dotted(s.path)
}

// report returns whether it is worth while to go on.
func (s *shape) report(at int, format string, args ...any) bool {
	return s.reportAt(slices.Clone(s.path), at, format, args...)
}

func (s *shape) reportAt(path []string, at int, format string, args ...any) bool {
	text := diag.Printable(fmt.Sprintf(format, args...))
	s.problems = append(s.problems, diag.New(diag.BadSolution, s.pos(at), "%s", text).AtPath(path...))
	return len(s.problems) < maxProblems
}

// syntax reports the place where the text stops being JSON.
func (s *shape) syntax() bool {
	at, text := syntaxProblem(s.data)
	if text == "" {
		s.report(at, "the file ends in the middle of %s", s.where())
		return false
	}
	s.report(at, "no JSON: %s, in %s", text, s.where())
	return false
}
