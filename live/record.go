package live

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"

	"kumiki.dev/engine"
	"kumiki.dev/internal/sorting"
)

// Format is that of the records which are written. One of a later format is not read.
const Format = 1

// maxRecord is how large a record may become when it is read.
const maxRecord = 256 << 20

// Record is what was made of a solution in an environment.
type Record struct {
	Format   int    `json:"format"`
	Solution string `json:"solution"`
	// Digest is the solution's, and Text the solution itself; both are of the last one that
	// was applied whole. Text is empty where secrets are in it.
	Digest string          `json:"digest,omitempty"`
	Text   json.RawMessage `json:"text,omitempty"`
	// Options are those with which its objects were made.
	Options json.RawMessage `json:"options,omitempty"`
	// Target and Environment are where it runs.
	Target      string `json:"target,omitempty"`
	Environment string `json:"environment,omitempty"`
	// Objects are those that were made, or are about to be.
	Objects []engine.Made `json:"objects,omitempty"`
	// Stopped are the places whose instances are not to run.
	Stopped []string `json:"stopped,omitempty"`
	// Restarts counts how often the instances of places were restarted.
	Restarts map[string]int `json:"restarts,omitempty"`
	// Dropped are the fields that the target has dropped, by objects, and that were told.
	Dropped map[string][]string `json:"dropped,omitempty"`

	// Revision is how the target tells this record from those before and after; "" for one
	// that is not there.
	Revision string `json:"-"`
	// Unlisted tells that it is there and not among those of all solutions, as somebody has taken
	// its label away.
	Unlisted bool `json:"-"`
	// Parts are what the target keeps it in, where that are several.
	Parts []string `json:"-"`
	// Stray are those of them that belong to a record which was never finished.
	Stray []string `json:"-"`
}

// Known reports whether there is a record.
func (r *Record) Known() bool { return r.Revision != "" }

// Encode returns the record as it is kept.
func (r *Record) Encode() ([]byte, error) {
	sorting.By(r.Objects, func(a, b engine.Made) int { return bytes.Compare([]byte(a.ID.String()), []byte(b.ID.String())) })
	text, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	w := gzip.NewWriter(&b) // without a time: the same record is the same bytes
	if _, err := w.Write(text); err != nil {
		return nil, err
	}
	err = w.Close()
	return b.Bytes(), err
}

// Decode reads a record as it is kept. Numbers are read by read, as the target has them.
func Decode(data []byte, read func([]byte, any) error) (*Record, error) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(z, maxRecord+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > maxRecord:
		return nil, fmt.Errorf("it has more than %d MB", maxRecord>>20)
	}
	var head struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, err
	}
	if head.Format > Format {
		return nil, fmt.Errorf("it is of format %d, and this kumiki knows %d: use the kumiki that wrote it, or a later one", head.Format, Format)
	}
	r := &Record{}
	return r, read(text, r)
}
