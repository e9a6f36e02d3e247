package reference

import (
	"encoding/json"
	"math/big"
	"path"
	"strconv"
	"strings"
)

// componentRules are those of components alone.
func (s *spreader) componentRules(n *Node) {
	code := n.Description["code"]
	s.check(len(keys(code)) > 0, "solution/no-container", "there is no container")
	for _, name := range keys(code) {
		s.containerRules(n, name, get(code, name))
	}
	size := n.Description["size"]
	if s.check(get(size, "bandwidth") != nil, "solution/no-size", "there is no bandwidth") {
		s.check(!less(get(size, "bandwidth", "size"), get(size, "minbandwidth")), "solution/size", "minbandwidth is above bandwidth")
	}
	for _, name := range keys(n.Description["probe"]) {
		for _, check := range []string{"liveness", "readiness"} {
			if c := get(n.Description, "probe", name, check); c != nil {
				s.check(len(keys(get(c, "protocol"))) == 1, "solution/probe-form", "the %s probe of %s has not one protocol", check, name)
			}
		}
	}
	hsize, _ := get(n.Config, "scale", "hsize").(json.Number)
	if s.check(hsize != "", "solution/missing-hsize", "nobody says how many instances run") {
		_, err := strconv.ParseInt(hsize.String(), 10, 32)
		s.check(err == nil, "solution/shape", "%s instances cannot be counted", hsize)
	}
}

func (s *spreader) containerRules(n *Node, name string, c any) {
	s.check(name != "" && get(c, "image", "tag") != "", "solution/shape", "a container has an empty name or image")
	s.check(!less(get(c, "size", "cpu", "size"), get(c, "size", "mincpu")), "solution/size", "mincpu is above cpu")
	if secret, _ := get(c, "image", "hub", "secret").(string); secret != "" {
		s.uses(n, "secret", secret)
	}
	env := get(c, "mapping", "env")
	for _, variable := range keys(env) {
		s.check(variable != "" && !strings.Contains(variable, "="), "solution/shape", "no variable can be called %q", variable)
		forms := keys(get(env, variable))
		if s.check(len(forms) == 1, "solution/env-form", "variable %s has %v", variable, forms) && forms[0] != "value" {
			key, _ := get(env, variable, forms[0]).(string)
			s.uses(n, forms[0], key)
		}
	}
	files, seen := get(c, "mapping", "filesystem"), map[string]bool{}
	for _, name := range keys(files) {
		s.check(!seen[path.Clean(name)], "solution/same-path", "%s comes twice", name)
		seen[path.Clean(name)] = true
		s.fileRules(n, name, get(files, name))
	}
}

func (s *spreader) fileRules(n *Node, name string, file any) {
	volume, isVolume := get(file, "volume").(string)
	data := get(file, "data")
	s.check(isVolume != (data != nil), "solution/file-form", "%s is not one of volume and data", name)
	s.check(strings.HasPrefix(name, "/"), "solution/file-form", "%s is not absolute", name)
	if isVolume {
		s.uses(n, "volume", volume)
	} else if get(file, "format") == "text" {
		_, isText := get(data, "value").(string)
		s.check(isText, "solution/file-form", "%s is no text", name)
	}
}

// uses refuses a key of config that is not there, or is of another kind. Dots
// lead into groups.
func (s *spreader) uses(n *Node, kind, key string) {
	section := "resource"
	if kind == "parameter" {
		section = "parameter"
	}
	found := has(n.Config[section], key) || has(n.Config[section], strings.Split(key, ".")...)
	if !s.check(found, "solution/unknown-key", "config.%s has no %s", section, key) || kind == "parameter" {
		return
	}
	used := get(n.Config, "resource", key)
	if used == nil {
		used = get(n.Config["resource"], strings.Split(key, ".")...)
	}
	s.check(get(used, kind) != nil, "solution/wrong-kind", "%s is no %s", key, kind)
}

// has reports whether there is a member at a path, which may be null.
func has(x any, path ...string) bool {
	m, _ := get(x, path[:len(path)-1]...).(map[string]any)
	_, ok := m[path[len(path)-1]]
	return ok
}

// less reports whether a number is below another; what is no number is not.
func less(a, b any) bool {
	x, ok := a.(json.Number)
	y, both := b.(json.Number)
	if !ok || !both {
		return false
	}
	p, _ := new(big.Rat).SetString(x.String())
	q, _ := new(big.Rat).SetString(y.String())
	return p.Cmp(q) < 0
}
