package backup

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"

	"kumiki.dev/run/store"
)

// largest is how many bytes one file of a stream may have: it is in memory.
const largest = 1 << 30

// Sink takes what is read of a backup, in its order. A nil function takes nothing.
type Sink struct {
	Begin   func(Begin) error
	Records func([]store.Kept) error
	Content func(digest string, data []byte) error
}

// reader reads a stream.
type reader struct {
	sink  Sink
	sum   hash.Hash
	files int
	end   End
	ended bool
}

// Read reads a backup. The error is why it is none, or damaged: what was given to the sink before
// is to be thrown away then.
func Read(in io.Reader, sink Sink) (End, error) {
	zipped, err := gzip.NewReader(in)
	if err != nil {
		return End{}, fmt.Errorf("that is no backup of kumikid: %w", err)
	}
	r := &reader{sink: sink, sum: sha256.New()}
	files := tar.NewReader(zipped)
	for {
		h, err := files.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = r.next(h, files)
		}
		if err != nil {
			return End{}, fmt.Errorf("the backup is damaged, or was cut off, after %d of its files: %w", r.files, err)
		}
		r.files++
	}
	if !r.ended {
		return End{}, errors.New("the backup was cut off: it has no end")
	}
	if _, err := io.Copy(io.Discard, zipped); err != nil { // its sum is at the end
		return End{}, fmt.Errorf("the backup is damaged, or was cut off: %w", err)
	}
	return r.end, nil
}

// next reads one file.
func (r *reader) next(h *tar.Header, in io.Reader) error {
	if h.Size > largest {
		return fmt.Errorf("%s has %d bytes", h.Name, h.Size)
	}
	if (r.files == 0) != (h.Name == beginName) || r.ended {
		return fmt.Errorf("%s is not what comes here", h.Name)
	}
	data, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	if h.Name == endName {
		return r.last(data)
	}
	mark(r.sum, h.Name, data)
	return r.take(h.Name, data)
}

// take gives a file to the sink.
func (r *reader) take(name string, data []byte) error {
	digest, isContent := strings.CutPrefix(name, contentDir)
	switch {
	case name == beginName:
		return r.begin(data)
	case strings.HasPrefix(name, recordsDir):
		var some []store.Kept
		if err := json.Unmarshal(data, &some); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		r.end.Records += len(some)
		if r.sink.Records != nil {
			return r.sink.Records(some)
		}
		return nil
	case isContent && store.Digest(data) == digest:
		r.end.Contents++
		if r.sink.Content != nil {
			return r.sink.Content(digest, data)
		}
		return nil
	case isContent:
		return fmt.Errorf("%s: its digest is %s", name, store.Digest(data))
	}
	return fmt.Errorf("%s is nothing that belongs in it", name)
}

func (r *reader) begin(data []byte) error {
	var b Begin
	if err := json.Unmarshal(data, &b); err != nil {
		return err
	}
	if b.Format != format {
		return fmt.Errorf("its format is %d, and this kumikid reads %d: use the kumikid that wrote it, or a later one", b.Format, format)
	}
	if _, err := store.Known(b.Schema); err != nil {
		return err
	}
	if r.sink.Begin != nil {
		return r.sink.Begin(b)
	}
	return nil
}

// last compares what was read with what the end says.
func (r *reader) last(data []byte) error {
	var e End
	if err := json.Unmarshal(data, &e); err != nil {
		return err
	}
	if e.Records != r.end.Records || e.Contents != r.end.Contents {
		return fmt.Errorf("it has %d records and %d contents, and should have %d and %d", r.end.Records, r.end.Contents, e.Records, e.Contents)
	}
	if sum := hex.EncodeToString(r.sum.Sum(nil)); e.Sum != sum {
		return fmt.Errorf("its sum is %s, and should be %s", sum, e.Sum)
	}
	r.end, r.ended = e, true
	return nil
}
