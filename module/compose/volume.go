package compose

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/compose-spec/compose-go/v2/types"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/secretlike"
)

// maxFiles is how many files of a directory become files of a container.
const maxFiles = 32

// volumes reads what is mounted.
func (r *role) volumes() {
	for _, v := range r.s.Volumes {
		switch {
		case v.Type == "volume" && v.Source != "":
			r.named(v)
		case v.Type == "volume":
			r.volatile(v.Target, `{size: 1, unit: "G"}`)
			r.note("volumes", "%s goes with the instance, and has 1 GB, which is a guess", v.Target)
		case v.Type == "tmpfs":
			size := `{size: 64, unit: "Mi"}`
			if v.Tmpfs != nil && v.Tmpfs.Size > 0 {
				size = amount(int64(v.Tmpfs.Size))
			}
			r.volatile(v.Target, size)
		case v.Type == "bind":
			r.bind(v)
		default:
			r.note("volumes", "%s: there is nothing like a mount of type %s", v.Target, v.Type)
		}
	}
	for _, target := range r.s.Tmpfs {
		target, _, _ = strings.Cut(target, ":")
		r.volatile(target, `{size: 64, unit: "Mi"}`)
	}
}

// named mounts a volume that outlives the application.
func (r *role) named(v types.ServiceVolumeConfig) {
	declared := r.app.project.Volumes[v.Source]
	id := r.app.name + "-" + word(v.Source)
	if declared.External {
		id = v.Source
		if declared.Name != "" {
			id = declared.Name
		}
	}
	key := camel(v.Source)
	for _, other := range r.app.roles {
		if filter.Any(other.resources, func(x resource) bool { return other != r && x.kind == "volume" && x.id == id }) {
			r.note("volumes", "%s is %s's too: each role would have a volume of that name of its own, unless they are told to share it (docs/kubernetes.md, --claim)", v.Source, other.s.Name)
		}
	}
	if v.Volume != nil && v.Volume.Subpath != "" {
		r.note("volumes", "%s: only all of a volume is mounted, not %s in it", v.Target, v.Volume.Subpath)
	}
	r.resource(resource{key: key, kind: "volume", id: id})
	r.mount(mount{path: v.Target, volume: key})
}

// volatile mounts a volume that goes with the instance.
func (r *role) volatile(target, size string) {
	key := camel("tmp" + strings.ReplaceAll(target, "/", "-"))
	r.resource(resource{key: key, kind: "volume", size: size})
	r.mount(mount{path: target, volume: key})
}

// mount adds a mount; of two at one path the later counts, as in Compose.
func (r *role) mount(m mount) {
	m.path = path.Clean("/" + m.path)
	r.mounts = filter.Out(r.mounts, func(old mount) bool { return old.path == m.path })
	r.mounts = append(r.mounts, m)
}

// bind takes files beside the Compose file as they are now.
func (r *role) bind(v types.ServiceVolumeConfig) {
	name := path.Clean(v.Source)
	if path.IsAbs(name) || strings.HasPrefix(name, "~") || name == ".." || strings.HasPrefix(name, "../") || strings.Contains(v.Source, "\\") {
		r.note("volumes", "%s is of the machine, and outside of the Compose file's directory: containers cannot have it", unmarked(v.Source))
		return
	}
	info, err := r.app.dir.Stat(name)
	switch {
	case err != nil:
		r.note("volumes", "%s: %v", unmarked(v.Source), plainly(err))
	case !info.IsDir():
		r.file("volumes", name, v.Target, 0)
	case name == ".":
		r.note("volumes", "%s is the whole directory: what the program needs of it has to be in its image", v.Source)
	default:
		r.directory(v.Source, name, v.Target)
	}
}

// directory takes the files of a directory, if they are few, small and texts.
func (r *role) directory(source, name, target string) {
	type one struct {
		path string
		data []byte
		mode fs.FileMode
	}
	var files []one
	most := r.app.mounted
	err := fs.WalkDir(r.app.dir.FS(), name, func(at string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if len(files) == maxFiles {
			return fmt.Errorf("it has more than %d files", maxFiles)
		}
		data, err := r.app.fileOf(at)
		if err != nil {
			return err
		}
		info, err := d.Info()
		files = append(files, one{at, data, info.Mode()})
		return err
	})
	if err != nil || len(files) == 0 {
		r.app.mounted = most
		r.note("volumes", "%s is not carried: %v; what the program needs of it has to be in its image, or in a volume", source, plainly(errors.Join(err, empty(len(files)))))
		return
	}
	for _, f := range files {
		r.content("volumes", f.path, path.Join(target, strings.TrimPrefix(f.path, name)), string(f.data), permissions(f.mode))
	}
}

func empty(n int) error {
	if n == 0 {
		return errors.New("it has no files")
	}
	return nil
}

// file takes one file.
func (r *role) file(key, name, target string, mode uint32) {
	data, err := r.app.fileOf(name)
	if err != nil {
		r.note(key, "%s is not carried: %v", name, plainly(err))
		return
	}
	if mode == 0 {
		info, err := r.app.dir.Stat(name)
		if err == nil {
			mode = permissions(info.Mode())
		}
	}
	r.content(key, name, target, string(data), mode)
}

// permissions are those of a file, where they matter: whether it can be executed.
func permissions(mode fs.FileMode) uint32 {
	if mode&0o111 != 0 {
		return 0o755
	}
	return 0o644
}

// content makes a file of a text.
func (r *role) content(key, name, target, text string, mode uint32) {
	if secretlike.Is("", text) || filter.Any(strings.Split(text, "\n"), func(line string) bool {
		name, value, ok := strings.Cut(line, "=")
		return ok && secretlike.Is(strings.TrimSpace(name), strings.TrimSpace(value))
	}) {
		r.note(key, "%s is not carried: it looks as if it had a secret in it, which everybody would read", name)
		return
	}
	for _, other := range r.app.roles {
		for _, host := range other.names() {
			if at := strings.Index(text, "//"+host); other != r && at >= 0 && (at+2+len(host) == len(text) || strings.ContainsRune("/:;\n \"'", rune(text[at+2+len(host)]))) {
				r.note(key, "%s names %s, which is 0.%s in a channel: change it in %s/component.cue", name, host, other.name, r.dir())
				r.links = append(r.links, link{to: other, key: key, used: true})
			}
		}
	}
	r.mount(mount{path: target, data: text, mode: mode})
}

// fileOf reads a file that the Compose file names. All together are bounded.
func (a *application) fileOf(name string) ([]byte, error) {
	name = path.Clean(name)
	if path.IsAbs(name) || name == ".." || strings.HasPrefix(name, "../") {
		return nil, errors.New("it is outside of the Compose file's directory")
	}
	data, err := readBounded(a.dir, name, maxMount)
	if a.mounted += len(data); err == nil && a.mounted > maxMounted {
		return nil, fmt.Errorf("all files together have more than %d bytes", maxMounted)
	}
	return data, err
}

// plainly is an error without the path that a system call had.
func plainly(err error) error {
	var at *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("there is no such file")
	case errors.As(err, &at):
		return at.Err
	}
	return err
}

// configs reads files that have a name in the Compose file.
func (r *role) configs() {
	for _, c := range r.s.Configs {
		declared := r.app.project.Configs[c.Source]
		target := c.Target
		if target == "" {
			target = "/" + c.Source
		}
		mode := uint32(0)
		if c.Mode != nil {
			mode = uint32(*c.Mode) & 0o7777
		}
		switch {
		case declared.File != "":
			r.file("configs", declared.File, target, mode)
		case declared.Content != "":
			r.content("configs", c.Source, target, declared.Content, max(mode, 0o444))
		default:
			r.note("configs", "%s is given outside of the file: write it as a file of %s/component.cue", c.Source, r.dir())
		}
	}
}
