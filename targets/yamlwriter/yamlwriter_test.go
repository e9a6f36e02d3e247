package yamlwriter

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

type inner struct {
	Z string `json:"z,omitempty"`
	A *int   `json:"a"`
}

type outer struct {
	Name   string            `json:"name"`
	Inner  inner             `json:"inner"`
	List   []any             `json:"list"`
	Texts  map[string]string `json:"texts,omitempty"`
	Spec   map[string]int    `json:"spec"`
	Status string            `json:"status"`
	Took   time.Duration     `json:"took"`
	Data   []byte            `json:"data,omitempty"`
}

// style writes strings bare.
var style = Style{
	Scalar: func(s string) string { return s },
	Lines:  func(s string) bool { return strings.Contains(s, "\n") },
}

// TestStyle writes one value in styles that differ.
func TestStyle(t *testing.T) {
	t.Parallel()
	v := &outer{Name: "n", List: []any{inner{Z: "z"}, []any{}, json.Number("0440"), nil}, Texts: map[string]string{"b": "1", "a": "x\ny"}, Status: "s", Took: 2, Data: []byte("a")}
	write := func(s Style) string {
		w := New(nil, s)
		require.NoError(t, w.Document(v))
		return string(w.Out)
	}
	declared := style
	declared.Declared = true
	declared.Text = strings.ToUpper
	declared.Own = func(x any) (any, bool) {
		_, ok := x.([]byte)
		return json.Number("1"), ok
	}
	require.Equal(t, "name: N\ninner:\n  a: null\nlist:\n- z: Z\n  a: null\n- []\n- 0440\n- null\ntexts:\n  a: |-\n    X\n    Y\n  b: 1\nspec: null\nstatus: S\ntook: 2\ndata: 1\n", write(declared))
	sorted := style
	sorted.Void, sorted.Never = map[string]bool{"spec": true}, "status"
	require.Equal(t, "data: YQ==\ninner:\n  a: null\nlist:\n- a: null\n  z: z\n- []\n- 0440\n- null\nname: n\ntexts:\n  a: |-\n    x\n    y\n  b: 1\ntook: 2\n", write(sorted))
}

// TestHandOn: what is long is handed on before the document's end, unless a member
// may have to be taken back, and an error of who takes it is the writer's.
func TestHandOn(t *testing.T) {
	t.Parallel()
	long := map[string]any{"a": strings.Repeat("x", chunk), "b": "y"}
	for want, void := range map[int]map[string]bool{1: {"b": true}, 2: nil} {
		var out parts
		s := style
		s.Void = void
		w := New(&out, s)
		require.NoError(t, w.Document(long))
		require.NoError(t, w.Flush())
		require.Len(t, out, want)
		require.Equal(t, "a: "+strings.Repeat("x", chunk)+"\nb: y\n", strings.Join(out, ""))
	}
	w := New(full{}, style)
	require.ErrorIs(t, w.Document(long), errFull)
	require.ErrorIs(t, w.Flush(), errFull)
	require.Error(t, New(nil, style).Document("text"))
	require.Error(t, New(nil, style).Document(map[string]any{"f": func() {}}))
}

// parts are what is written, by itself.
type parts []string

func (p *parts) Write(b []byte) (int, error) {
	*p = append(*p, string(b))
	return len(b), nil
}

type full struct{}

var errFull = errors.New("full")

func (full) Write([]byte) (int, error) { return 0, errFull }
