package targets

import (
	"encoding/json"
	"strconv"
	"strings"

	"kumiki.dev/internal/lazyregexp"
	"kumiki.dev/solution"
)

// ChannelDir is where Kumori tells a process where its channels lead, and
// ChannelFile the file there.
const (
	ChannelDir  = "/kumori"
	ChannelFile = "config.json"
)

// Way is a client channel of a role, with where its code finds each of the groups
// of servers. A group that nothing is connected to has no address.
type Way struct {
	solution.Reach
	Addresses []Address
}

// Address is that of a group: of all its servers for lb, of what stands for each
// of them for full.
type Address struct {
	Host string `json:"host"`
	Port int    `json:"port"`
	Kind string `json:"kind"`
}

// hop is a server that a group of a channel leads to.
type hop struct {
	Auto autoMeta `json:"auto"`
	User any      `json:"user"`
}

type autoMeta struct {
	solution.AutoMeta
	Channel string `json:"channel"`
}

// ChannelData is the content of [ChannelFile], in Kumori's own words:
// channels.CHANNEL.INDEX is the list of servers with what their connector says of
// them, addresses.CHANNEL.INDEX is where they are.
func ChannelData(ways []Way) string {
	hops, addresses := map[string]map[string][]hop{}, map[string]map[string]Address{}
	for _, w := range ways {
		of, at := map[string][]hop{}, map[string]Address{}
		for i, address := range w.Addresses {
			index := strconv.Itoa(i)
			of[index] = []hop{}
			for _, t := range w.Groups[i] {
				user := t.Meta.User
				if m, ok := user.(map[string]any); user == nil || ok && m == nil {
					user = map[string]any{}
				}
				of[index] = append(of[index], hop{Auto: autoMeta{t.Meta.Auto, t.Channel}, User: user})
			}
			if address != (Address{}) {
				at[index] = address
			}
		}
		hops[w.From.Channel], addresses[w.From.Channel] = of, at
	}
	return Indented(map[string]any{"channels": hops, "addresses": addresses})
}

// Indented is a value as JSON for people. It takes what always encodes.
func Indented(v any) string {
	text, _ := json.MarshalIndent(v, "", "  ")
	return string(text) + "\n"
}

// Variable is an environment variable that tells where a channel leads.
type Variable struct{ Name, Value string }

// ChannelVariables are KUMIKI_CHANNEL_NAME for the first group of each client
// channel, and KUMIKI_CHANNEL_NAME_1 and so on for the others. Channels whose
// names give the same variable are told to twice, which gets the variable, the
// channel that it is of, and the one that is left out.
func ChannelVariables(ways []Way, twice func(variable, first, second string)) []Variable {
	var out []Variable
	of := map[string]string{}
	for _, w := range ways {
		for i, address := range w.Addresses {
			if address == (Address{}) {
				continue
			}
			name := ChannelVariable(w.From.Channel)
			if i > 0 {
				name += "_" + strconv.Itoa(i)
			}
			if first, ok := of[name]; ok {
				twice(name, first, w.From.Channel)
				continue
			}
			of[name] = w.From.Channel
			out = append(out, Variable{name, address.Host + ":" + strconv.Itoa(address.Port)})
		}
	}
	return out
}

var notInVariables = lazyregexp.New(`[^A-Za-z0-9_]`)

// ChannelVariable is the name of the variable that tells where a channel leads.
func ChannelVariable(channel string) string {
	return "KUMIKI_CHANNEL_" + strings.ToUpper(notInVariables().ReplaceAllString(channel, "_"))
}

// Below reports whether a path of a container is a directory, in it or around it.
func Below(path, dir string) bool {
	at := strings.TrimSuffix(path, "/") + "/"
	return strings.HasPrefix(at, dir+"/") || at == "/"
}
