package graph

import (
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"kumiki.dev/internal/sorting"
)

// maxValue is how many characters of a value are shown.
const maxValue = 24

// changes are the fields in which the contents of two parts differ, with what they were
// and are, in the order of their paths.
func changes(old, now string) []string {
	var a, b any
	if json.Unmarshal([]byte(old), &a) != nil || json.Unmarshal([]byte(now), &b) != nil {
		return nil
	}
	var out []string
	differ("", a, b, &out)
	return out
}

func differ(path string, old, now any, out *[]string) {
	before, isOld := old.(map[string]any)
	after, isNow := now.(map[string]any)
	if isOld && isNow {
		all := maps.Clone(before)
		maps.Copy(all, after)
		for _, name := range sorting.Ordered(all) {
			differ(strings.TrimPrefix(path+"."+name, "."), before[name], after[name], out)
		}
		return
	}
	if was, is := brief(old), brief(now); was != is || !same(old, now) {
		*out = append(*out, fmt.Sprintf("%s %s → %s", path, was, is))
	}
}

func same(a, b any) bool {
	x, _ := json.Marshal(a) // both come from JSON
	y, _ := json.Marshal(b)
	return string(x) == string(y)
}

// brief is a value in a few characters; – for none.
func brief(v any) string {
	if v == nil {
		return "–"
	}
	data, _ := json.Marshal(v) // it comes from JSON
	text := []rune(string(data))
	if len(text) > maxValue {
		text = append(text[:maxValue-1], '…')
	}
	return string(text)
}

// summary is the first of several changes, by the end of its path, and how many more
// there are; "" for none.
func summary(all []string) string {
	if len(all) == 0 {
		return ""
	}
	path, values, _ := strings.Cut(all[0], " ")
	parts := strings.Split(path, ".")
	out := strings.Join(parts[max(0, len(parts)-2):], ".") + " " + values
	if len(all) > 1 {
		out += " +" + strconv.Itoa(len(all)-1)
	}
	return out
}
