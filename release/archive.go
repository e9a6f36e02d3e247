package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// file is one to hand out. Its mode is 0644 unless it says otherwise; a directory has
// fs.ModeDir.
type file struct {
	name  string // with slashes
	mode  fs.FileMode
	data  []byte
	owner int // the user and the group, 0 for root
}

func byName(a, b file) int { return cmp.Compare(a.name, b.name) }

// below are the files in a directory.
func below(dir string, files ...file) []file {
	out := slices.Clone(files)
	for i := range out {
		out[i].name = path.Join(dir, out[i].name)
	}
	return out
}

// pack is what a platform gets: an archive with the program, documents and a list of
// what is in it, that list beside it, and of kumiki for Linux a Debian package.
func pack(v version, b binary, common []file) ([]file, error) {
	list, err := contents(v, b)
	if err != nil {
		return nil, err
	}
	name := strings.TrimSuffix(b.name, ".exe") + "_" + v.name + "_" + b.on.String()
	inside := append(below(name, common...), file{name: name + "/" + b.name, mode: 0o755, data: b.data}, file{name: name + "/sbom.cdx.json", data: list})
	files := []file{{name: name + ".cdx.json", data: list}}
	if b.on.system == "windows" {
		data, err := zipped(v.date, inside)
		return append(files, file{name: name + ".zip", data: data}), err
	}
	data, err := tarred(v.date, inside)
	if err != nil {
		return nil, err
	}
	files = append(files, file{name: name + ".tar.gz", data: compressed(data)})
	if b.on.system == "linux" && b.name == kumiki.name {
		data, err := debian(v, b, common)
		if err != nil {
			return nil, err
		}
		files = append(files, file{name: name + ".deb", data: data})
	}
	return files, nil
}

// tarred is a tar of files, and of the directories that they lie in, which are root's.
func tarred(date time.Time, files []file) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, f := range withDirectories(files) {
		h := &tar.Header{Name: f.name, Mode: int64(f.mode.Perm()), Size: int64(len(f.data)), ModTime: date, Typeflag: tar.TypeReg, Uid: f.owner, Gid: f.owner, Format: tar.FormatUSTAR}
		if f.mode.IsDir() {
			h.Typeflag, h.Name = tar.TypeDir, f.name+"/"
			if f.mode&fs.ModeSticky != 0 {
				h.Mode |= 0o1000
			}
		}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

// withDirectories are files and the directories above them, by name.
func withDirectories(files []file) []file {
	all := map[string]file{}
	for _, f := range files {
		f.mode = cmp.Or(f.mode, 0o644)
		all[f.name] = f
		for dir := path.Dir(f.name); dir != "." && dir != "/"; dir = path.Dir(dir) {
			if _, ok := all[dir]; !ok {
				all[dir] = file{name: dir, mode: fs.ModeDir | 0o755}
			}
		}
	}
	out := make([]file, 0, len(all))
	for _, f := range all {
		out = append(out, f)
	}
	slices.SortFunc(out, byName)
	return out
}

// zipped is a zip of files.
func zipped(date time.Time, files []file) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range withDirectories(files) {
		if f.mode.IsDir() {
			continue
		}
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: date}
		h.SetMode(f.mode)
		part, err := w.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := part.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

// compressed is data by gzip, without a name or a time.
func compressed(data []byte) []byte {
	var out bytes.Buffer
	w, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // the level is one that there is
	_, _ = io.Copy(w, bytes.NewReader(data))                // a buffer takes everything
	_ = w.Close()
	return out.Bytes()
}

// under are the files below a directory, without its name.
func under(dir string, files []file) []file {
	var out []file
	for _, f := range files {
		if name, ok := strings.CutPrefix(f.name, dir+"/"); ok {
			f.name = name
			out = append(out, f)
		}
	}
	return out
}
