// Package gitrev reads manifests as they are at a revision of a local Git
// repository.
//
// In comes what Git takes for a revision, and a path that may be there; out
// comes a directory with all files of CUE that the revision has, or one file's
// content. Git only lists and prints objects: nothing is checked out, fetched or
// run, neither filters nor hooks, whatever the repository's configuration says.
package gitrev

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// maxSize is how much is read at once, in bytes.
const maxSize = 256 << 20

// Tree is what a repository holds at a revision.
type Tree struct {
	dir    string // in which git is run
	root   string // the top of the working tree; "" in a bare repository
	prefix string // of dir, from the top
	id     string // of the tree
}

// Open finds the repository that a path lies in, which need not be there now,
// and the tree of a revision.
func Open(ctx context.Context, rev, name string) (*Tree, error) {
	if rev == "" || strings.HasPrefix(rev, "-") {
		return nil, fmt.Errorf("%q is no revision: write one that git knows, such as HEAD~1, main or v1.2.0", rev)
	}
	t := &Tree{dir: existing(name)}
	id, err := t.git(ctx, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{tree}")
	if err != nil {
		if _, here := t.git(ctx, nil, "rev-parse", "--git-dir"); here != nil {
			return nil, here
		}
		return nil, fmt.Errorf("%s is no revision of the Git repository of %s", rev, t.dir)
	}
	prefix, err := t.git(ctx, nil, "rev-parse", "--show-prefix")
	if err != nil {
		return nil, err
	}
	t.id, t.prefix = line(id), line(prefix)
	if root, err := t.git(ctx, nil, "rev-parse", "--show-toplevel"); err == nil {
		t.root = line(root)
	}
	return t, nil
}

func line(text []byte) string { return strings.TrimSuffix(string(text), "\n") }

// existing is the innermost directory around a path that there is now.
func existing(name string) string {
	for dir := filepath.Clean(name); ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil && info.IsDir() || dir == filepath.Dir(dir) {
			return dir
		}
	}
}

// inTree is a path from the top of the tree, false if it leads out of it.
func (t *Tree) inTree(name string) (string, bool) {
	rest, err := filepath.Rel(t.dir, name)
	if err != nil {
		return "", false
	}
	at := path.Join(t.prefix, filepath.ToSlash(rest))
	return at, at == "." || filepath.IsLocal(filepath.FromSlash(at))
}

// File is the content of a file at the revision, false if it is none there.
func (t *Tree) File(ctx context.Context, name string) ([]byte, bool, error) {
	at, ok := t.inTree(name)
	if !ok || at == "." {
		return nil, false, nil
	}
	entries, err := t.list(ctx, at)
	if err != nil || len(entries) != 1 || entries[0].name != at {
		return nil, false, err
	}
	var content []byte
	err = t.contents(ctx, entries, func(_ entry, data []byte) error {
		content = data
		return nil
	})
	return content, err == nil, err
}

// Write puts all files of CUE into a directory, and returns where a path is in
// there. Links are left out, as they could lead anywhere.
func (t *Tree) Write(ctx context.Context, into, name string) (string, error) {
	return t.write(ctx, into, name, func(entry) bool { return false })
}

// Names are the files below a directory, from the top of the repository.
func (t *Tree) Names(ctx context.Context, dir string) (names []string, err error) {
	at, ok := t.inTree(dir)
	if !ok {
		return nil, nil
	}
	entries, err := t.list(ctx, at)
	for _, e := range entries {
		names = append(names, e.name)
	}
	return names, err
}

// mostEach is how large a file may be that is no source, in bytes.
const mostEach = 4 << 20

// WriteModule is [Tree.Write] for all that a module in a directory may consist of: its lock,
// and files that sources embed, of 4 MiB at most.
func (t *Tree) WriteModule(ctx context.Context, into, name, dir string) (string, error) {
	module, ok := t.inTree(dir)
	return t.write(ctx, into, name, func(e entry) bool {
		return ok && e.size <= mostEach && (module == "." || strings.HasPrefix(e.name, module+"/"))
	})
}

// write writes the files of CUE, and others that are wanted.
func (t *Tree) write(ctx context.Context, into, name string, also func(entry) bool) (string, error) {
	at, ok := t.inTree(name)
	if !ok {
		return "", fmt.Errorf("%s is not in the Git repository of %s", name, t.dir)
	}
	entries, err := t.list(ctx, "")
	if err != nil {
		return "", err
	}
	root, err := os.OpenRoot(into)
	if err != nil {
		return "", err
	}
	defer root.Close()
	var wanted []entry
	for _, e := range entries {
		if filepath.IsLocal(filepath.FromSlash(e.name)) && (strings.HasSuffix(e.name, ".cue") || also(e)) {
			wanted = append(wanted, e)
		}
	}
	err = t.contents(ctx, wanted, func(e entry, data []byte) error {
		file := filepath.FromSlash(e.name)
		if err := root.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		return root.WriteFile(file, data, 0o644)
	})
	return filepath.Join(into, filepath.FromSlash(at)), err
}

// Inside is where a path of the working tree is in a directory that has been
// written; the path itself if it is not in the working tree.
func (t *Tree) Inside(into, name string) string {
	full, err := filepath.Abs(name)
	if err == nil && t.root != "" {
		if rest, err := filepath.Rel(t.root, full); err == nil && filepath.IsLocal(rest) {
			return filepath.Join(into, rest)
		}
	}
	return name
}

// entry is a file of a tree.
type entry struct {
	id, name string
	size     int
}

// list is the regular files of the tree, below a path if one is given.
func (t *Tree) list(ctx context.Context, below string) ([]entry, error) {
	args := []string{"ls-tree", "-r", "-l", "-z", "--full-tree", t.id}
	if below != "" {
		args = append(args, "--", below) // a path: ls-tree takes no patterns
	}
	text, err := t.git(ctx, nil, args...)
	if err != nil {
		return nil, err
	}
	var entries []entry
	for row := range strings.SplitSeq(strings.TrimSuffix(string(text), "\x00"), "\x00") {
		kind, name, _ := strings.Cut(row, "\t")
		fields := strings.Fields(kind)
		if len(fields) != 4 || !strings.HasPrefix(fields[0], "100") {
			continue // a link, or another repository
		}
		size, err := strconv.Atoi(fields[3])
		if err != nil {
			return nil, fmt.Errorf("git lists %q", row)
		}
		entries = append(entries, entry{fields[2], name, size})
	}
	return entries, nil
}

// contents hands on the content of each entry, in their order.
func (t *Tree) contents(ctx context.Context, entries []entry, use func(entry, []byte) error) error {
	var ids bytes.Buffer
	total := 0
	for _, e := range entries {
		fmt.Fprintln(&ids, e.id)
		if total += e.size; total > maxSize {
			return fmt.Errorf("the files have more than %d bytes", maxSize)
		}
	}
	text, err := t.git(ctx, &ids, "cat-file", "--batch")
	if err != nil {
		return err
	}
	r := bufio.NewReader(bytes.NewReader(text))
	for _, e := range entries {
		data, err := e.read(r)
		if err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
		if err := use(e, data); err != nil {
			return err
		}
	}
	return nil
}

// read reads what cat-file --batch prints of it: "ID blob SIZE", and the content
// between two line ends.
func (e entry) read(r *bufio.Reader) ([]byte, error) {
	head, err := r.ReadString('\n')
	if err != nil {
		return nil, err
	}
	if want := fmt.Sprintf("%s blob %d\n", e.id, e.size); head != want {
		return nil, fmt.Errorf("git does not have it: %s", strings.TrimSpace(head))
	}
	data := make([]byte, e.size)
	if _, err := io.ReadFull(r, data); err != nil {
		return nil, err
	}
	_, err = r.Discard(1)
	return data, err
}

// safe keeps git from running anything, asking, and fetching what it lacks.
var safe = []string{"--no-pager", "-c", "core.fsmonitor=false", "-c", "protocol.allow=never"}

// git runs one of git's commands that only read.
func (t *Tree) git(ctx context.Context, in io.Reader, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", append(append([]string{}, safe...), args...)...)
	cmd.Dir, cmd.Stdin = t.dir, in
	cmd.Env = append(os.Environ(), "GIT_NO_LAZY_FETCH=1", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return nil, errors.New("git is not installed, which reads revisions: compile each version to a file, and give the files")
	case err != nil && stderr.Len() > 0:
		first, _, _ := strings.Cut(stderr.String(), "\n")
		return nil, errors.New("git: " + strings.TrimPrefix(first, "fatal: "))
	}
	return stdout.Bytes(), err
}
