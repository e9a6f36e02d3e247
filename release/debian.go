package main

import (
	"bytes"
	"crypto/md5"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
)

// debian is a Debian package: a program, its manual, completions.
func debian(v version, b binary, common []file) ([]byte, error) {
	files := []file{{name: "usr/bin/kumiki", mode: 0o755, data: b.data}}
	for _, f := range under("man", common) {
		files = append(files, file{name: "usr/share/man/" + f.name + ".gz", data: compressed(f.data)})
	}
	for _, f := range common {
		if at, ok := debianPlaces[f.name]; ok {
			files = append(files, file{name: at, data: f.data})
		}
	}
	slices.SortFunc(files, byName)
	var sums strings.Builder
	size := 0
	for _, f := range files {
		fmt.Fprintf(&sums, "%x  %s\n", md5.Sum(f.data), f.name)
		size += len(f.data)
	}
	control, err := tarred(v.date, below(".", file{name: "control", data: control(v, b, size)}, file{name: "md5sums", data: []byte(sums.String())}))
	if err != nil {
		return nil, err
	}
	data, err := tarred(v.date, files)
	if err != nil {
		return nil, err
	}
	return archived(v.date,
		file{name: "debian-binary", data: []byte("2.0\n")},
		file{name: "control.tar.gz", data: compressed(control)},
		file{name: "data.tar.gz", data: compressed(data)}), nil
}

// debianPlaces is where Debian has what an archive has elsewhere.
var debianPlaces = map[string]string{
	"LICENSE":                 "usr/share/doc/kumiki/copyright",
	"LICENSES.txt":            "usr/share/doc/kumiki/LICENSES.txt",
	"README.md":               "usr/share/doc/kumiki/README.md",
	"completions/kumiki.bash": "usr/share/bash-completion/completions/kumiki",
	"completions/kumiki.fish": "usr/share/fish/vendor_completions.d/kumiki.fish",
	"completions/zsh/_kumiki": "usr/share/zsh/vendor-completions/_kumiki",
}

// control is what dpkg knows of the package. What comes before a version is written
// with a tilde, by which dpkg sorts it so.
func control(v version, b binary, size int) []byte {
	number := strings.Replace(strings.TrimPrefix(v.name, "v"), "-", "~", 1)
	return fmt.Appendf(nil, `Package: kumiki
Version: %s
Architecture: %s
Maintainer: The Kumiki authors <kumiki@kumiki.dev>
Installed-Size: %d
Section: utils
Priority: optional
Description: compiler for deployments written in CUE
 Kumiki checks a deployment against the artifact that it configures, spreads its
 configuration down the artifact's roles, and writes the objects that Kubernetes
 or Docker Swarm run.
`, number, b.on.processor, (size+1023)/1024)
}

// archived is an ar of files, the form of Debian packages; it is too small for a
// library.
func archived(date time.Time, files ...file) []byte {
	var out bytes.Buffer
	out.WriteString("!<arch>\n")
	for _, f := range files {
		fmt.Fprintf(&out, "%-16s%-12d%-6d%-6d%-8s%-10d`\n", path.Base(f.name), date.Unix(), 0, 0, "100644", len(f.data))
		out.Write(f.data)
		if len(f.data)%2 == 1 {
			out.WriteByte('\n')
		}
	}
	return out.Bytes()
}
