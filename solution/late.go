package solution

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/jsondata"
	"kumiki.dev/internal/sorting"
)

// Late is a parameter of the top deployment that has the value of something which is not
// known when the solution is made. The text [Late.Mark] is in its places until then.
type Late struct {
	// At is the parameter: config.parameter.host.
	At string `json:"at"`
	// Channel is what the value follows from when the solution is lowered; nil for a field of
	// an object, which somebody has to look up.
	Channel *LateChannel `json:"channel,omitempty"`
	// Deployment and Field are what it is the value of.
	Deployment string `json:"deployment"`
	Field      string `json:"field"`
	// Places are where it is in the solution, as JSON pointers (RFC 6901), sorted.
	Places []string `json:"places"`
	// Type is what the value has to be, a type of CUE.
	Type string `json:"type"`
}

// LateChannel is a server channel of another solution, and what is asked of its address.
type LateChannel struct {
	Name string `json:"name"`
	// Part is "host", "port", or "address" for both with a colon between them.
	Part string `json:"part"`
	// Servers are the roles that requests to the channel arrive at.
	Servers []LateServer `json:"servers"`
	// Solution is the name of the other solution.
	Solution string `json:"solution"`
}

// LateServer is a channel of a role that requests arrive at.
type LateServer struct {
	Channel string `json:"channel"`
	// Container is the one that listens there, where that is not the component's principal one.
	Container  string `json:"container,omitempty"`
	Deployment string `json:"deployment"`
	Port       int    `json:"port"`
	Protocol   string `json:"protocol"`
	Role       string `json:"role"`
}

// Parts of the address of a channel, as a field names them: channel.NAME.PART.
var channelParts = []string{"address", "host", "port"}

// A FieldKind says what the path of a field of another deployment leads to.
type FieldKind int

const (
	// OwnField is one of what the deployment's solution has: name, config, meta.
	OwnField FieldKind = iota
	// ChannelField is the address of a channel: channel.NAME.host, .port or .address.
	ChannelField
	// ObjectField is a field of an object that runs: KIND/NAME.PATH.
	ObjectField
)

// KindOf tells what the path of a field leads to.
func KindOf(field string) FieldKind {
	names, ok := splitField(stripIndexes(field))
	switch {
	case !ok:
		return OwnField // which says what is wrong with it
	case names[0] == "channel":
		return ChannelField
	case strings.Contains(names[0], "/"):
		return ObjectField
	}
	return OwnField
}

// stripIndexes leaves the indexes of lists out of a path.
func stripIndexes(path string) string {
	var out strings.Builder
	quoted := false
	for i := 0; i < len(path); i++ {
		switch c := path[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\' && quoted && i+1 < len(path):
			out.WriteByte(c)
			i++
		case c == '[' && !quoted:
			if n := strings.IndexByte(path[i:], ']'); n > 1 && strings.Trim(path[i+1:i+n], "0123456789") == "" {
				i += n
				continue
			}
		}
		out.WriteByte(path[i])
	}
	return out.String()
}

// SplitChannel takes the field of a channel's address apart; ok is false for what is none.
func SplitChannel(field string) (channel, part string, ok bool) {
	names, ok := splitField(field)
	if !ok || len(names) != 3 || names[0] != "channel" || !filter.Contains(channelParts, names[2]) {
		return "", "", false
	}
	return names[1], names[2], true
}

// SplitObject takes the field of an object apart: its kind, its name, and the names and
// indexes ([0]) of the path in it. Ok is false for what is none.
func SplitObject(field string) (kind, name string, path []string, ok bool) {
	for rest := field; rest != ""; {
		plain := strings.HasPrefix(rest, "[")
		end := len(rest)
		if plain {
			end = strings.IndexByte(rest, ']') + 1
		} else if quoted, err := strconv.QuotedPrefix(rest); err == nil && rest[0] == '"' {
			end = len(quoted)
		} else if i := strings.IndexAny(rest, ".["); i >= 0 {
			end = i
		}
		part := rest[:end]
		if plain {
			if n, err := strconv.Atoi(strings.Trim(part, "[]")); err != nil || n < 0 || len(part) < 3 {
				return "", "", nil, false
			}
			path = append(path, part)
		} else {
			names, ok := splitField(part)
			if !ok || len(names) != 1 {
				return "", "", nil, false
			}
			path = append(path, names[0])
		}
		if rest = rest[end:]; strings.HasPrefix(rest, ".") {
			if rest = rest[1:]; rest == "" || rest[0] == '[' {
				return "", "", nil, false
			}
		} else if rest != "" && rest[0] != '[' {
			return "", "", nil, false
		}
	}
	if len(path) < 2 {
		return "", "", nil, false
	}
	kind, name, ok = strings.Cut(path[0], "/")
	if !ok || kind == "" || name == "" || strings.HasPrefix(path[0], "[") {
		return "", "", nil, false
	}
	return kind, name, path[1:], true
}

// Mark is the text that stands for the value where it is not known.
func (l *Late) Mark() string { return LateMark(l.Deployment, l.Field) }

// LateMark is the text that stands for the value of a field of another deployment.
func LateMark(deployment, field string) string {
	return "$(ref." + JoinField(deployment) + "." + field + ")"
}

// FindLate finds the places of late values in a solution whose marks are there already, and
// texts of which a mark is only a part, by their places.
func (s *Solution) FindLate() (within map[string]*Late, err error) {
	bare := *s
	bare.Late, bare.Inputs = nil, nil
	data, err := jsondata.Of(&bare)
	if err != nil {
		return nil, err
	}
	within = map[string]*Late{}
	for i := range s.Late {
		s.Late[i].Places = nil
	}
	eachText(data, "", func(place, text string) {
		if !strings.Contains(text, "$(ref.") {
			return
		}
		for i := range s.Late {
			l := &s.Late[i]
			switch mark := l.Mark(); {
			case text == mark && !strings.HasPrefix(place, "/deployments/") && !strings.HasPrefix(place, "/links/"):
				within[place] = l
			case text == mark:
				l.Places = append(l.Places, place)
			case strings.Contains(text, mark):
				within[place] = l
			}
		}
	})
	return within, nil
}

// eachText goes through the texts of plain data, in the order of their places.
func eachText(data any, place string, do func(place, text string)) {
	switch x := data.(type) {
	case string:
		do(place, x)
	case map[string]any:
		for _, name := range sorting.Ordered(x) {
			eachText(x[name], place+"/"+escapes.Replace(name), do)
		}
	case []any:
		for i, item := range x {
			eachText(item, place+"/"+strconv.Itoa(i), do)
		}
	}
}

// The escapes of JSON pointers.
var (
	escapes   = strings.NewReplacer("~", "~0", "/", "~1")
	unescapes = strings.NewReplacer("~1", "/", "~0", "~")
)

// pointed are the names of a JSON pointer; false for what is none.
func pointed(pointer string) ([]string, bool) {
	rest, ok := strings.CutPrefix(pointer, "/")
	if !ok {
		return nil, false
	}
	names := strings.Split(rest, "/")
	for i, name := range names {
		names[i] = unescapes.Replace(name)
	}
	return names, true
}

// at is the container of what a pointer leads to, and what it is called there.
func holderOf(data any, pointer string) (get func() any, set func(any)) {
	names, ok := pointed(pointer)
	if !ok {
		return nil, nil
	}
	for i, name := range names {
		last := i == len(names)-1
		switch x := data.(type) {
		case map[string]any:
			next, ok := x[name]
			if !ok {
				return nil, nil
			}
			if last {
				return func() any { return x[name] }, func(v any) { x[name] = v }
			}
			data = next
		case []any:
			n, err := strconv.Atoi(name)
			if err != nil || n < 0 || n >= len(x) || strconv.Itoa(n) != name {
				return nil, nil
			}
			if last {
				return func() any { return x[n] }, func(v any) { x[n] = v }
			}
			data = x[n]
		default:
			return nil, nil
		}
	}
	return nil, nil
}

// Fill returns the solution with values in the places of those of its late values that have
// one, by their indexes. A value is a text, a truth value or a [json.Number]; whether it is of
// the right type is for the caller to know. The digest is that of the old one.
func (s *Solution) Fill(values map[int]any) (*Solution, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	data, err := jsondata.Decode(text)
	if err != nil {
		return nil, err
	}
	var left []Late
	for i, l := range s.Late {
		v, ok := values[i]
		if !ok {
			left = append(left, l)
			continue
		}
		for _, place := range l.Places {
			_, set := holderOf(data, place)
			if set == nil {
				return nil, fmt.Errorf("%s of %s has no place %s", l.At, s.Top, place)
			}
			set(inPlace(place, v))
		}
	}
	if text, err = json.Marshal(data); err != nil {
		return nil, err
	}
	out := &Solution{}
	if err := strict(text, out); err != nil {
		return nil, err
	}
	out.Late, out.sources, out.Acknowledged = left, s.sources, s.Acknowledged
	return out, nil
}

// inPlace is a value as a place has it: the value of a variable is a text.
func inPlace(place string, v any) any {
	names, _ := pointed(place)
	n := len(names)
	if n < 4 || names[n-1] != "value" || names[n-3] != "env" || names[n-4] != "mapping" {
		return v
	}
	switch v := v.(type) {
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	}
	return v
}

// late checks what is said of late values.
func (v *verifier) late() {
	if len(v.s.Late) == 0 {
		return
	}
	bare := *v.s
	bare.Late = nil
	data, err := jsondata.Of(&bare)
	if !v.needs(err == nil, root.in("late"), "cannot be compared with the rest: %v", err) {
		return
	}
	for i := range v.s.Late {
		l, p := &v.s.Late[i], root.in("late").in(strconv.Itoa(i))
		v.needs(strings.HasPrefix(l.At, "config.parameter."), p.in("at"), "is %q: it is a parameter, config.parameter.NAME", l.At)
		v.needs(l.Deployment != "", p.in("deployment"), "is empty: it names the deployment that the value comes from")
		v.needs(l.Type != "", p.in("type"), "is empty: it is a type of CUE, \"_\" for any")
		kind := KindOf(l.Field)
		v.needs(kind == ObjectField || kind == ChannelField, p.in("field"), "is %q: it is KIND/NAME.PATH or channel.NAME.PART", l.Field)
		if kind == ChannelField && v.needs(l.Channel != nil, p.in("channel"), "is missing") {
			name, part, ok := SplitChannel(l.Field)
			v.needs(ok && name == l.Channel.Name && part == l.Channel.Part, p.in("channel"), "is not that of the field %q", l.Field)
			v.needs(l.Channel.Solution != "", p.in("channel").in("solution"), "is empty: it is the name of the other solution")
			v.needs(len(l.Channel.Servers) > 0, p.in("channel").in("servers"), "is empty: nothing serves the channel")
		}
		v.needs(kind == ChannelField || l.Channel == nil, p.in("channel"), "is there, and the field %q is none of a channel", l.Field)
		v.needs(len(l.Places) > 0, p.in("places"), "is empty: the value is nowhere")
		for _, place := range l.Places {
			get, _ := holderOf(data, place)
			v.needs(get != nil && get() == l.Mark() && strings.HasPrefix(place, "/deployments/") || get != nil && strings.HasPrefix(place, "/links/") && get() == l.Mark(), p.in("places"), "has %s, where the solution has no %q", place, l.Mark())
		}
	}
}
