package value

import (
	"encoding/json"
	"strconv"
	"strings"

	"kumiki.dev/internal/jsondata"
	"kumiki.dev/internal/sorting"
)

// UnmarshalJSON implements [json.Unmarshaler]: what is read has no positions.
func (d *Data) UnmarshalJSON(b []byte) error {
	v, err := jsondata.Decode(b)
	if err != nil {
		return err
	}
	*d = *plain(v)
	return nil
}

// plain makes data of what a decoder has made.
func plain(v any) *Data {
	switch v := v.(type) {
	case map[string]any:
		out := &Data{Kind: Struct}
		for _, name := range sorting.Ordered(v) {
			out.Fields = append(out.Fields, Field{name, plain(v[name])})
		}
		return out
	case []any:
		out := &Data{Kind: List}
		for _, x := range v {
			out.Items = append(out.Items, plain(x))
		}
		return out
	case string:
		return &Data{Kind: String, Text: v}
	case bool:
		return &Data{Kind: Bool, Text: strconv.FormatBool(v)}
	case json.Number:
		kind := Int
		if strings.ContainsAny(v.String(), ".eE") {
			kind = Float
		}
		return &Data{Kind: kind, Text: v.String()}
	}
	return &Data{Kind: Null, Text: "null"}
}
