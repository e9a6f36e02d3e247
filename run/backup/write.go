package backup

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"kumiki.dev/run/record"
	"kumiki.dev/run/store"
)

// writer writes a stream.
type writer struct {
	tar  *tar.Writer
	sum  hash.Hash
	made time.Time
	end  End
	// named are the digests that manifests name.
	named map[string]bool
}

// Write writes all that a store keeps, as it is now. Others go on reading and writing meanwhile.
func Write(ctx context.Context, s *store.Store, out io.Writer) (End, error) {
	zipped := gzip.NewWriter(out)
	w := &writer{tar: tar.NewWriter(zipped), sum: sha256.New(), made: time.Now().UTC(), named: map[string]bool{}}
	if err := w.all(ctx, s); err != nil {
		return w.end, err
	}
	return w.end, errors.Join(w.tar.Close(), zipped.Close())
}

func (w *writer) all(ctx context.Context, s *store.Store) error {
	at, schema, err := s.Now(ctx)
	if err != nil {
		return err
	}
	if err := w.json(beginName, Begin{Format: format, Schema: schema, Revision: at, Made: w.made}); err != nil {
		return err
	}
	n := 0
	err = s.Dump(ctx, at, func(some []store.Kept) error {
		n++
		return w.records(n, some)
	})
	if err != nil {
		return err
	}
	for _, digest := range slices.Sorted(maps.Keys(w.named)) {
		if err := errors.Join(ctx.Err(), w.content(ctx, s, digest)); err != nil {
			return err
		}
	}
	w.end.Sum = hex.EncodeToString(w.sum.Sum(nil))
	return w.json(endName, w.end)
}

func (w *writer) json(name string, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return w.file(name, data)
}

// file writes one file of the tar.
func (w *writer) file(name string, data []byte) error {
	mark(w.sum, name, data)
	if err := w.tar.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(data)), ModTime: w.made, Format: tar.FormatPAX}); err != nil {
		return err
	}
	_, err := w.tar.Write(data)
	return err
}

// mark adds a file to a sum, so that no two different streams have the same.
func mark(sum hash.Hash, name string, data []byte) {
	fmt.Fprintf(sum, "%s\x00%d\x00", name, len(data))
	sum.Write(data)
}

func (w *writer) records(n int, some []store.Kept) error {
	w.end.Records += len(some)
	for _, k := range some {
		if strings.HasPrefix(k.Key, record.Placements) {
			var p record.Placement
			if err := json.Unmarshal(k.Value, &p); err != nil {
				return fmt.Errorf("%s: %w", k.Key, err)
			}
			w.names(p.Tree, p.Result)
		}
		if !strings.HasPrefix(k.Key, record.Manifests) {
			continue
		}
		var m record.Manifest
		if err := json.Unmarshal(k.Value, &m); err != nil {
			return fmt.Errorf("%s: %w", k.Key, err)
		}
		w.names(m.Input.Bundle, m.Solution)
	}
	return w.json(fmt.Sprintf("%s%08d.json", recordsDir, n), some)
}

// names adds digests; "" is none.
func (w *writer) names(digests ...string) {
	for _, digest := range digests {
		if digest != "" {
			w.named[digest] = true
		}
	}
}

// content writes what a digest names. One that is lost already is told of at the end: all else is
// to be kept.
func (w *writer) content(ctx context.Context, s *store.Store, digest string) error {
	data, err := s.Contents.Get(ctx, digest)
	if errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrDamaged) {
		w.end.Missing = append(w.end.Missing, digest)
		return nil
	}
	if err != nil {
		return err
	}
	w.end.Contents++
	return w.file(contentDir+digest, data)
}
