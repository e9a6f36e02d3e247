package compiler_test

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/compiler"
	"kumiki.dev/internal/benchapp"
)

// TestCacheDamage damages entries and mends their checksums: whatever is in an
// entry, a run ends.
func TestCacheDamage(t *testing.T) {
	t.Parallel()
	dir, cached := t.TempDir(), t.TempDir()
	require.NoError(t, benchapp.Nested(2, 2, true).Kumiki().Write(dir))
	var in compiler.Input
	in.Dir = filepath.Join(dir, benchapp.Deploy)
	kept := 0
	run := func() {
		r, _, err := openCache(t, cached).Run(context.Background(), in)
		if r.Tree != nil {
			kept += r.Tree.Work.Kept
		}
		require.NoError(t, err)
	}
	run()
	var files []string
	require.NoError(t, filepath.WalkDir(cached, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, path)
		}
		return err
	}))
	require.NotEmpty(t, files)
	for _, file := range files {
		whole, err := os.ReadFile(file)
		require.NoError(t, err)
		for seed := range uint64(damages) {
			order := rand.New(rand.NewPCG(seed, 5))
			data := slices.Clone(whole[4:])
			for range 1 + order.IntN(3) {
				data = damaged(order, data)
			}
			seal(t, file, data)
			run()
		}
		seal(t, file, deepPart(2_000_000))
		run()
	}
	require.NotZero(t, kept, "some are taken for what they are not")
}

// damages is how often each entry is damaged; three thousand went well when this was
// written.
const damages = 60

// damaged changes some bytes.
func damaged(order *rand.Rand, data []byte) []byte {
	if len(data) < 2 {
		return data
	}
	// What is short and matters comes first; a quarter is anywhere.
	i := order.IntN(min(len(data), 200))
	if order.IntN(4) == 0 {
		i = order.IntN(len(data))
	}
	j := min(len(data), i+1+order.IntN(9))
	switch order.IntN(6) {
	case 0:
		data[i] ^= 1 << order.IntN(8)
	case 1:
		data[i] = []byte{0, 1, 2, 0x7f, 0x80, 0xff}[order.IntN(6)]
	case 2:
		return slices.Delete(data, i, j)
	case 3:
		return slices.Insert(data, i, slices.Clone(data[i:j])...)
	case 4:
		return slices.Insert(data, i, 0xff, 0xff, 0xff, 0xff, 0x03)
	case 5:
		return data[:i]
	}
	return data
}

// deepPart is a service in a service in a service.
func deepPart(depth int) []byte {
	var data []byte
	for range depth {
		data = append(data, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1) // nothing is said but that there is a role
	}
	return data
}

// seal writes an entry with a checksum that is right.
func seal(t *testing.T, file string, data []byte) {
	key, err := hex.DecodeString(filepath.Base(file))
	require.NoError(t, err)
	table := crc32.MakeTable(crc32.Castagnoli)
	sum := crc32.Update(crc32.Checksum(key, table), table, data)
	require.NoError(t, os.WriteFile(file, append(binary.BigEndian.AppendUint32(nil, sum), data...), 0o600))
}
