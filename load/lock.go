package load

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/spread"
)

// LockFile holds the digests of the modules that a module was built with, at
// its root.
const LockFile = "kumiki.lock"

// Lock is the contents of a [LockFile]: digests by "path@v1.2.3".
type Lock map[string]string

// ReadLock reads the lock of the module in dir, nil if it has none.
func ReadLock(dir string) (Lock, error) {
	return (&module{Module: &spread.Module{}, dir: dir, files: os.DirFS(dir)}).lock()
}

// lock is the module's, nil if it has none.
func (m *module) lock() (Lock, error) {
	data, err := m.read(LockFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case errors.Is(err, errNotRegular) || len(data) > maxFile:
		return nil, fmt.Errorf("%s is expected to be a file of no more than %d bytes", LockFile, maxFile)
	case err != nil:
		return nil, pathError(err)
	}
	lock := Lock{}
	lines := bufio.NewScanner(bytes.NewReader(data))
	for n := 1; lines.Scan(); n++ {
		fields := strings.Fields(lines.Text())
		if len(fields) != 2 || !strings.Contains(fields[0], "@v") || !strings.HasPrefix(fields[1], "sha256:") {
			return nil, fmt.Errorf("line %d of %s is %q, expected MODULE@VERSION sha256:DIGEST; write the file with kumiki mod tidy", n, LockFile, lines.Text())
		}
		if was, ok := lock[fields[0]]; ok && was != fields[1] {
			return nil, fmt.Errorf("line %d of %s has another digest for %s than a line before: see who wrote it, delete the wrong one, and run kumiki mod tidy", n, LockFile, fields[0])
		}
		lock[fields[0]] = fields[1]
	}
	return lock, lines.Err()
}

// Bytes is the file that [ReadLock] reads, sorted.
func (l Lock) Bytes() []byte {
	var b bytes.Buffer
	for _, key := range sorting.Ordered(l) {
		fmt.Fprintf(&b, "%s %s\n", key, l[key])
	}
	return b.Bytes()
}

// ModuleDigest is "sha256:…" over the names and contents of all files of a
// module.
func ModuleDigest(files fs.FS) (string, error) {
	h := sha256.New()
	err := fs.WalkDir(files, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, name)
		fmt.Fprintf(h, "%x  %s\n", sha256.Sum256(data), name)
		return err
	})
	return fmt.Sprintf("sha256:%x", h.Sum(nil)), err
}

// checkLock compares a module that came from a registry with the main module's
// lock. Without a lock anything goes, and so does what a replacement names.
func (l *loader) checkLock(dir, modpath, version string, pos diag.Pos) {
	key := modpath + "@v" + version
	if !strings.HasSuffix(filepath.ToSlash(dir), key) || !l.once("lock", key) {
		return
	}
	lock, err := l.main.lock()
	if err != nil {
		l.report(diag.New(diag.Locked, pos, "%v", err))
		return
	}
	if lock == nil {
		return
	}
	got, err := ModuleDigest(os.DirFS(dir))
	switch want := lock[key]; {
	case err != nil:
		l.report(diag.New(diag.Locked, pos, "%s can't be read: %v", key, err))
	case want == "":
		l.report(diag.New(diag.Locked, pos, "%s is not in %s; run kumiki mod tidy, and look at what it adds", key, LockFile))
	case want != got:
		l.report(diag.New(diag.Locked, pos, "%s is not what it was: %s has %s, found %s; somebody replaced a published version: ask its publisher, and do not use it until you know why", key, LockFile, want, got))
	}
}
