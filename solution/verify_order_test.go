package solution

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"kumiki.dev/diag"
)

// TestVerifyOrder breaks solutions at random: what is found in any order is what is
// found in that of the names.
func TestVerifyOrder(t *testing.T) {
	t.Parallel()
	wrong := 0
	for name, data := range solutions(t) {
		if strings.HasSuffix(name, "/oracle") {
			continue
		}
		for seed := range uint64(verified) {
			b := &breaker{order: rand.New(rand.NewPCG(seed, 9))}
			var x any
			require.NoError(t, json.Unmarshal(data, &x))
			b.collect(x)
			for range 1 + b.order.IntN(2) {
				b.change(x)
			}
			text, err := json.Marshal(x)
			require.NoError(t, err)
			s := &Solution{}
			if strict(text, s) != nil {
				continue
			}
			s.Digest = ""
			v := newVerifier(s)
			v.sorted = true
			v.inAnyOrder()
			if diff := cmp.Diff(texts(v.problems), texts(Verify(s))); diff != "" {
				t.Fatalf("%s %d (-by name +any):\n%s", name, seed, diff)
			}
			if len(v.problems) > 0 {
				wrong++
			}
		}
	}
	require.NotZero(t, wrong)
}

// verified is how often each solution is broken; three hundred times
// went well when
// this was written.
const verified = 40

func texts(problems diag.List) []string {
	out := []string{}
	for _, d := range problems {
		out = append(out, fmt.Sprint(d.Message, d.At))
	}
	return out
}

// breaker changes JSON, with words of its own.
type breaker struct {
	order *rand.Rand
	words []string
}

func (b *breaker) collect(x any) {
	switch x := x.(type) {
	case string:
		b.words = append(b.words, x)
	case []any:
		for _, item := range x {
			b.collect(item)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(x)) {
			b.words = append(b.words, name)
			b.collect(x[name])
		}
	}
}

// change changes something within x.
func (b *breaker) change(x any) {
	word := b.words[b.order.IntN(len(b.words))]
	switch x := x.(type) {
	case []any:
		if len(x) > 0 {
			b.change(x[b.order.IntN(len(x))])
		}
	case map[string]any:
		if len(x) == 0 {
			x[word] = word
			return
		}
		name := slices.Sorted(maps.Keys(x))[b.order.IntN(len(x))]
		_, isText := x[name].(string)
		switch how := b.order.IntN(12); {
		case how == 0:
			delete(x, name)
		case how == 1:
			x[word] = x[name]
			delete(x, name)
		case how == 2:
			x[word] = x[name]
		case isText:
			x[name] = word
		default:
			b.change(x[name])
		}
	}
}
