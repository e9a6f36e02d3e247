// Package cache keeps results of earlier runs in a directory that processes
// share. It may lose what it was given, at any time; what it returns is what was
// put under that key, byte for byte.
package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"kumiki.dev/internal/atomicfile"
	"kumiki.dev/internal/inside"
	"kumiki.dev/internal/sorting"
)

// Key names an entry: a hash of everything that the entry follows from.
type Key [sha256.Size]byte

// shards is the number of directories that entries are spread over, so that what
// is too much is found without a look at all of them.
const shards = 16

// fresh is for how long an entry counts as just used: within it, another use
// leaves its file as it is.
const fresh = time.Hour

// Dir is a cache in a directory. Processes and goroutines may share it.
type Dir struct {
	in    *inside.Dir // what is written and removed lies in it, wherever links may lead
	path  string
	limit int64 // bytes of a shard
}

// Open returns the cache in a directory, which it makes, with files of at most
// limit bytes altogether.
func Open(path string, limit int64) (*Dir, error) {
	in, err := inside.Make(path, 0o700)
	if err != nil {
		return nil, err
	}
	for i := range shards {
		if err := in.MkdirAll(shard(i), 0o700); err != nil {
			return nil, err
		}
	}
	return &Dir{in, path, limit / shards}, nil
}

func shard(i int) string { return hex.EncodeToString([]byte{byte(i)})[1:] }

// entry is the name of an entry's file in the cache's directory.
func entry(key Key) string { return shard(int(key[0])%shards) + "/" + hex.EncodeToString(key[:]) }

func (d *Dir) file(key Key) string { return filepath.Join(d.path, filepath.FromSlash(entry(key))) }

// Get returns the entry. One that is damaged is none.
func (d *Dir) Get(key Key) ([]byte, bool) {
	f, err := os.Open(d.file(key))
	if err != nil {
		return nil, false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() < sumSize || info.Size() > d.limit {
		return nil, false
	}
	data := make([]byte, info.Size())
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, false
	}
	sum, data := data[:sumSize], data[sumSize:]
	if binary.BigEndian.Uint32(sum) != checksum(key, data) {
		return nil, false
	}
	if now := time.Now(); now.Sub(info.ModTime()) > fresh {
		_ = os.Chtimes(f.Name(), now, now) // else it is removed sooner
	}
	return data, true
}

// Put makes an entry, or replaces it. Whoever reads it at the same time finds
// the old one or the new one.
func (d *Dir) Put(key Key, data []byte) error {
	if int64(len(data)) > d.limit/2 {
		return nil // it would drive out everything else
	}
	sum := binary.BigEndian.AppendUint32(nil, checksum(key, data))
	return d.in.Write(entry(key), bytes.NewReader(append(sum, data...)), atomicfile.Options{Mode: 0o600})
}

// sumSize is the length of a checksum, with which every file begins.
const sumSize = 4

// checksum covers the key, so that a file under another's name is noticed. It is
// there against accidents: who can write to the cache can write what they like.
func checksum(key Key, data []byte) uint32 {
	castagnoli := crc32.MakeTable(crc32.Castagnoli) // which processors compute with
	return crc32.Update(crc32.Checksum(key[:], castagnoli), castagnoli, data)
}

// Trim removes what was not used for the longest time, until the rest is within
// the limit: in the shards of the keys, those that the caller has put.
func (d *Dir) Trim(keys []Key) error {
	var done [shards]bool
	for _, key := range keys {
		i := int(key[0]) % shards
		if done[i] {
			continue
		}
		done[i] = true
		if err := d.trim(shard(i)); err != nil {
			return err
		}
	}
	return nil
}

func (d *Dir) trim(shard string) error {
	entries, err := os.ReadDir(filepath.Join(d.path, shard))
	if err != nil {
		return err
	}
	var files []fs.FileInfo
	var sum int64
	for _, e := range entries {
		if info, err := e.Info(); err == nil && own(info) { // else somebody else has removed it
			files = append(files, info)
			sum += info.Size()
		}
	}
	sorting.By(files, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, f := range files {
		if sum <= d.limit {
			break
		}
		_ = d.in.Remove(shard + "/" + f.Name())
		sum -= f.Size()
	}
	return nil
}

// own reports whether a file is an entry, or what somebody left who was killed while
// it was written.
func own(info fs.FileInfo) bool {
	if strings.HasPrefix(info.Name(), atomicfile.Prefix) {
		return info.Mode().IsRegular() && time.Since(info.ModTime()) > fresh
	}
	key, err := hex.DecodeString(info.Name())
	return info.Mode().IsRegular() && err == nil && len(key) == sha256.Size
}
