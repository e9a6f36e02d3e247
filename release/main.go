// Command release builds what a version of kumiki is handed out as: archives and
// Debian packages with static binaries, images of kumiki, of the manager and of the
// resolver, lists of what is in them, and the checksums of all. It needs Go and, for the commit, Git.
//
// The same sources, version and Go give the same bytes, wherever they lie: times are
// that of the commit, owners are root, and names are sorted.
package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/semver"
)

// platforms are those that a release is built for.
const platforms = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// version is what is released.
type version struct {
	name   string // with its v
	commit string
	date   time.Time // of the commit; that of all files
}

func run(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("release", flag.ContinueOnError)
	root := f.String("root", "..", "`directory` of the sources")
	out := f.String("out", "../dist", "`directory` to write, which has to be empty or not there")
	name := f.String("version", "", "`version`, such as v1.2.3")
	commit := f.String("commit", "", "`hash` of the commit (default: what Git says)")
	date := f.Int64("date", 0, "time of the commit in `seconds` since 1970 (default: what Git says)")
	of := f.String("platforms", platforms, "`platforms` to build for")
	if err := f.Parse(args); err != nil {
		return err
	}
	if semver.Canonical(*name) != *name || *name == "" {
		return fmt.Errorf("-version %q: write one such as v1.2.3 or v1.2.3-rc.1", *name)
	}
	v := version{*name, *commit, time.Unix(*date, 0).UTC()}
	if *commit == "" {
		if err := v.ofGit(ctx, *root); err != nil {
			return err
		}
	}
	if there, err := os.ReadDir(*out); err == nil && len(there) > 0 {
		return fmt.Errorf("%s has files already: remove it, or name another with -out", *out)
	}
	files, err := release(ctx, *root, v, strings.Split(*of, ","))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(*out, 0o755); err != nil {
		return err
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(*out, f.name), f.data, 0o644); err != nil {
			return err
		}
		fmt.Printf("%10d  %s\n", len(f.data), f.name)
	}
	return nil
}

// ofGit takes the commit from Git, of sources without changes.
func (v *version) ofGit(ctx context.Context, root string) error {
	git := func(args ...string) (string, error) {
		out, err := exec.CommandContext(ctx, "git", append([]string{"-C", root}, args...)...).Output()
		return strings.TrimSpace(string(out)), err
	}
	changes, err := git("status", "--porcelain")
	if err != nil {
		return fmt.Errorf("asking Git for the commit: %w; say -commit and -date where there is none", err)
	}
	if changes != "" {
		return errors.New("there are changes that are not committed: nobody could build the same again")
	}
	said, err := git("show", "--no-patch", "--format=%H %ct", "HEAD")
	if err != nil {
		return err
	}
	hash, seconds, _ := strings.Cut(said, " ")
	date, err := strconv.ParseInt(seconds, 10, 64)
	v.commit, v.date = hash, time.Unix(date, 0).UTC()
	return err
}

// release makes the files of a version.
func release(ctx context.Context, root string, v version, platforms []string) ([]file, error) {
	common, resolverImage, err := documents(ctx, root, v)
	if err != nil {
		return nil, err
	}
	managed, err := managerDocuments(ctx, root)
	if err != nil {
		return nil, err
	}
	var files []file
	images := newImages(v, resolverImage)
	for _, on := range platforms {
		p, err := parsePlatform(on)
		if err != nil {
			return nil, err
		}
		packed, err := forPlatform(ctx, root, v, p, common, managed, images)
		if err != nil {
			return nil, err
		}
		files = append(files, packed...)
	}
	for _, i := range images.all() {
		if len(i.parts) == 0 {
			continue
		}
		layout, err := i.layout(v)
		if err != nil {
			return nil, err
		}
		files = append(files, file{name: i.title + "_" + v.name + "_image.tar", data: layout})
	}
	slices.SortFunc(files, byName)
	return append(files, sums(files)), nil
}

// forPlatform builds the programs for a platform and packs them; those for Linux are added to the
// images.
func forPlatform(ctx context.Context, root string, v version, p platform, common, managed []file, images *images) ([]file, error) {
	tool, err := build(ctx, root, v, p, kumiki)
	if err != nil {
		return nil, err
	}
	files, err := pack(v, tool, common)
	if err != nil || p.system == "windows" { // the manager is not for Windows
		return files, err
	}
	server, err := build(ctx, root, v, p, manager)
	if err != nil {
		return nil, err
	}
	packed, err := pack(v, server, forSystem(p, managed))
	if err != nil || p.system != "linux" {
		return append(files, packed...), err
	}
	names, err := build(ctx, root, v, p, resolver)
	if err != nil {
		return nil, err
	}
	return append(files, packed...), images.add(v, p, tool, server, names, common, managed)
}

// sums is the file that sha256sum --check reads.
func sums(files []file) file {
	var text strings.Builder
	for _, f := range files {
		fmt.Fprintf(&text, "%x  %s\n", sha256.Sum256(f.data), f.name)
	}
	return file{name: "SHA256SUMS", data: []byte(text.String())}
}
