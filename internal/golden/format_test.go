package golden

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

// TestUnread: what no test reads of a case is told.
func TestUnread(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, folder, text string
		want               []string
	}{
		{"nothing", "cases", "Text: as usual.\nset: a\nset: b\ndir: x\n-- x/d.cue --\n-- out/spread.json --\n", nil},
		{"a setting with a slip", "errors", "dri: x\n-- out/errors.txt --\n", []string{"setting dri"}},
		{"without a space", "errors", "dri:x\n", []string{"setting dri"}},
		{"a setting of another folder", "cases", "problems: 2\n", []string{"setting problems"}},
		{"twice", "errors", "dir: x\ndir: y\n", []string{"setting dir, 2 times"}},
		{"a section with a slip", "cases", "-- out/spread.jsn --\n", []string{"section out/spread.jsn"}},
		{"a section of another folder", "errors", "-- out/solution.json --\n", []string{"section out/solution.json"}},
		{"a section again", "errors", "-- a.cue --\n-- out/errors.txt --\n-- a.cue --\n", []string{"section a.cue, again"}},
		{"values that are not there", "errors", "values: v.yaml\n-- v.yml --\n", []string{"values of a section v.yaml that is not there"}},
		{"a folder", "other", "", []string{"a folder that has no cases"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := newCase("testdata/"+test.folder+"/x.txtar", txtar.Parse([]byte(test.text)))
			require.Equal(t, test.want, c.unread())
		})
	}
}
