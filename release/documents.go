package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// documents are the files that all archives have: the manual, completions, licences. The
// other result is the name of the resolver's image. Both come from the program itself,
// built for this machine with the tag manual.
func documents(ctx context.Context, root string, v version) ([]file, string, error) {
	dir, err := os.MkdirTemp("", "release")
	if err != nil {
		return nil, "", err
	}
	defer os.RemoveAll(dir)
	program, out := filepath.Join(dir, "manual"), filepath.Join(dir, "out")
	told := "-X main.release=" + v.name + " -X main.commit=" + v.commit
	if err := goTool(ctx, root, platform{}, "build", "-tags", "manual", "-ldflags", told, "-o", program, "./cmd/kumiki"); err != nil {
		return nil, "", err
	}
	cmd := exec.CommandContext(ctx, program, out, v.date.Format("2006-01-02"))
	cmd.Env = append(os.Environ(), "HOME=/nonexistent")
	image, err := cmd.Output()
	if err != nil {
		return nil, "", fmt.Errorf("writing the manual: %w", err)
	}
	files, err := read(out)
	if err != nil {
		return nil, "", err
	}
	for _, name := range []string{"LICENSE", "README.md"} {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return nil, "", err
		}
		files = append(files, file{name: name, data: data})
	}
	notices, err := notices(ctx, root, "./cmd/kumiki", "./cmd/kumiki-resolver")
	files = append(files, file{name: "LICENSES.txt", data: notices})
	slices.SortFunc(files, byName)
	return files, strings.TrimSpace(string(image)), err
}

// managerDocuments are the files that the manager's archives have: the units that start it, the
// page about it, licences.
func managerDocuments(ctx context.Context, root string) ([]file, error) {
	var files []file
	for name, at := range map[string]string{"LICENSE": "LICENSE", "manager.md": "docs/manager.md", unit: "run/units/kumikid.service", agent: "run/units/dev.kumiki.kumikid.plist"} {
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(at)))
		if err != nil {
			return nil, err
		}
		files = append(files, file{name: name, data: data})
	}
	notices, err := notices(ctx, filepath.Join(root, "run"), "./cmd/kumikid")
	files = append(files, file{name: "LICENSES.txt", data: notices})
	slices.SortFunc(files, byName)
	return files, err
}

// What systemd and launchd start the manager by.
const (
	unit  = "kumikid.service"
	agent = "dev.kumiki.kumikid.plist"
)

// forSystem are the files that a platform has use for.
func forSystem(p platform, managed []file) []file {
	other := unit
	if p.system == "linux" {
		other = agent
	}
	return slices.DeleteFunc(slices.Clone(managed), func(f file) bool { return f.name == other })
}

// read reads the files below a directory.
func read(dir string) ([]file, error) {
	var files []file
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		files = append(files, file{name: name, data: data})
		return err
	})
	return files, err
}

// licence is the name of a file that says under what terms a module may be handed on.
var licence = regexp.MustCompile(`(?i)^(licen[cs]e|notice|copying)(\..*|-.*)?$`)

// notices are the licences of all modules that the programs are made of, on any
// platform, which ask to be handed on with them.
func notices(ctx context.Context, dir string, programs ...string) ([]byte, error) {
	said, err := exec.CommandContext(ctx, "go", "env", "GOVERSION", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	goVersion, goRoot, _ := strings.Cut(strings.TrimSpace(string(said)), "\n")
	modules := map[string]string{"Go " + goVersion: goRoot}
	for _, system := range []string{"linux", "darwin", "windows"} {
		if err := modulesOf(ctx, dir, system, programs, modules); err != nil {
			return nil, err
		}
	}
	var out bytes.Buffer
	out.WriteString("Kumiki is made of these modules, under their own licences.\n")
	names := make([]string, 0, len(modules))
	for name := range modules {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		entries, err := os.ReadDir(modules[name])
		if err != nil {
			return nil, err
		}
		found := false
		for _, e := range entries {
			if e.IsDir() || !licence.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") {
				continue
			}
			text, err := os.ReadFile(filepath.Join(modules[name], e.Name()))
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(&out, "\n%s\n%s: %s\n%[1]s\n\n%[4]s", strings.Repeat("=", 80), name, e.Name(), text)
			found = true
		}
		if !found {
			return nil, fmt.Errorf("%s has no licence that would let it be handed on", name)
		}
	}
	return out.Bytes(), nil
}

// modulesOf adds the modules of the programs on a system, each with the directory that
// it lies in.
func modulesOf(ctx context.Context, dir, system string, programs []string, modules map[string]string) error {
	cmd := exec.CommandContext(ctx, "go", append([]string{"list", "-deps", "-json=Module,Standard"}, programs...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=readonly", "GOWORK=off", "CGO_ENABLED=0", "GOARCH=amd64", "GOOS="+system)
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			Module *struct {
				Path, Version, Dir string
				Main               bool
			}
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if m := p.Module; m != nil && !m.Main && m.Path != "kumiki.dev" {
			modules[m.Path+" "+m.Version] = m.Dir
		}
	}
}
