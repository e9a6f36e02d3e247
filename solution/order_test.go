package solution

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"kumiki.dev/internal/jsondata"
)

// TestReadOrder writes the keys of solutions in any order, with any space
// between: what is read is the same, to the byte.
func TestReadOrder(t *testing.T) {
	t.Parallel()
	all := solutions(t)
	names := slices.Sorted(maps.Keys(all))
	want := map[string]string{}
	for name, data := range all {
		want[name] = string(written(t, read(t, data)))
	}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(names).Draw(t, "case")
		// One number in place of thousands of orders to draw.
		s := shuffler{rand: rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))}
		x, err := jsondata.Decode(all[name])
		require.NoError(t, err)
		s.write(x)
		got, problems := Read([]byte(s.String()), "solution.json")
		require.Empty(t, problems)
		data, err := got.Bytes()
		require.NoError(t, err)
		require.Equal(t, want[name], string(data))
	})
}

// shuffler writes JSON that means the same and looks otherwise.
type shuffler struct {
	strings.Builder
	rand *rand.Rand
}

func (s *shuffler) write(x any) {
	switch x := x.(type) {
	case map[string]any:
		keys := slices.Sorted(maps.Keys(x))
		s.rand.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		s.list('{', '}', len(keys), func(i int) {
			s.write(keys[i])
			s.symbol(':')
			s.write(x[keys[i]])
		})
	case []any:
		s.list('[', ']', len(x), func(i int) { s.write(x[i]) })
	default:
		data, err := json.Marshal(x)
		if err != nil {
			panic(err) // it has been JSON before
		}
		s.Write(data)
	}
}

func (s *shuffler) list(left, right byte, n int, item func(i int)) {
	s.symbol(left)
	for i := range n {
		if i > 0 {
			s.symbol(',')
		}
		item(i)
	}
	s.symbol(right)
}

func (s *shuffler) symbol(symbol byte) {
	spaces := []string{"", "", " ", "\n", "\r\n", "\t "}
	s.WriteString(spaces[s.rand.IntN(len(spaces))])
	s.WriteByte(symbol)
	s.WriteString(spaces[s.rand.IntN(len(spaces))])
}
