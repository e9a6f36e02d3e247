package late

import (
	"encoding/json"
	"fmt"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/parser"

	"kumiki.dev/internal/jsondata"
	"kumiki.dev/spread"
)

// Check says what is wrong with a value of a type, "" for nothing. The type is that of a
// solution file: nothing is evaluated but what [spread.ParseType] takes.
func Check(typ string, v any) (wrong string) {
	file, err := spread.ParseType(typ)
	if err != nil {
		return fmt.Sprintf("its type %q cannot be read: %v", typ, err)
	}
	ctx := cuecontext.New()
	schema := ctx.BuildFile(file).LookupPath(cue.ParsePath("type"))
	if err := schema.Err(); err != nil {
		return fmt.Sprintf("its type %q cannot be read: %v", typ, err)
	}
	var text string
	switch v := v.(type) {
	case string:
		text = string(jsondata.AppendString(nil, v, false))
	case json.Number:
		text = v.String()
	default:
		text = fmt.Sprint(v)
	}
	x, err := parser.ParseExpr("value", text)
	if err != nil {
		return fmt.Sprintf("the value %s cannot be read: %v", text, err)
	}
	if schema.Unify(ctx.BuildExpr(x)).Validate(cue.Concrete(true)) != nil {
		return fmt.Sprintf("found %s, expected %s", strings.TrimSpace(text), typ)
	}
	return ""
}
