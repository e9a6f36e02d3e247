package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/x509"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/opencontainers/go-digest"
	oci "github.com/opencontainers/image-spec/specs-go/v1"
	"github.com/stretchr/testify/require"
)

// tried is the version that the tests build; nothing in it is of this machine.
var tried = version{"v1.2.3-rc.1", "0123456789abcdef0123456789abcdef01234567", time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}

// TestRelease builds a release twice, from two directories, one of which is no Git
// repository, and uses what it has built as people would.
func TestRelease(t *testing.T) {
	platforms := []string{"linux/amd64", "linux/arm64"} // both are in the images
	files, err := release(t.Context(), "..", tried, platforms)
	require.NoError(t, err)
	again, err := release(t.Context(), sources(t), tried, platforms)
	require.NoError(t, err)
	require.Len(t, again, len(files))
	for i := range files {
		require.Equal(t, files[i].name, again[i].name)
		require.True(t, bytes.Equal(files[i].data, again[i].data), "%s has other bytes from another directory", files[i].name)
	}
	dir := t.TempDir()
	for _, f := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, f.name), f.data, 0o644))
		require.False(t, bytes.Contains(f.data, []byte(mustAbs(t, ".."))), "%s names this checkout", f.name)
	}
	t.Run("checksums", func(t *testing.T) { command(t, dir, "sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS") })
	t.Run("archive", func(t *testing.T) { testArchive(t, dir) })
	t.Run("manager", func(t *testing.T) { testManager(t, dir) })
	t.Run("Debian package", func(t *testing.T) { testDebian(t, dir) })
	t.Run("images", func(t *testing.T) {
		testImage(t, files, "kumiki_v1.2.3-rc.1_image.tar", "docker.io/kumiki/kumiki:v1.2.3-rc.1", "kumiki")
		testImage(t, files, "kumikid_v1.2.3-rc.1_image.tar", "docker.io/kumiki/kumikid:v1.2.3-rc.1", "kumikid")
		testImage(t, files, "kumiki-resolver_v1.2.3-rc.1_image.tar", "docker.io/kumiki/resolver:1", "kumiki-resolver")
	})
}

func mustAbs(t *testing.T, name string) string {
	abs, err := filepath.Abs(name)
	require.NoError(t, err)
	return abs
}

// sources is a copy of what Git would commit of the repository.
func sources(t *testing.T) string {
	dir := filepath.Join(t.TempDir(), "another place")
	for name := range strings.SplitSeq(command(t, "..", "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"), "\x00") {
		data, err := os.ReadFile(filepath.Join("..", name))
		if name == "" || errors.Is(err, os.ErrNotExist) {
			continue // removed, and not committed
		}
		require.NoError(t, err)
		to := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(to), 0o755))
		require.NoError(t, os.WriteFile(to, data, 0o644))
	}
	return dir
}

func command(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	return environed(t, dir, nil, name, args...)
}

func environed(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "%s %v: %s", name, args, &stderr)
	return string(out)
}

// cueVersion is the version of CUE that the repository asks for.
func cueVersion(t *testing.T) string {
	return strings.TrimSpace(command(t, "..", "go", "list", "-m", "-f", "{{.Version}}", "cuelang.org/go"))
}

// says is what the released kumiki version has to print.
func says(t *testing.T) string {
	return "kumiki " + tried.name + " (" + tried.commit + ")\nCUE " + cueVersion(t) + "\n" + runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH + "\n"
}

// testArchive unpacks the archive for this machine and uses what is in it. The other
// one is looked at only.
func testArchive(t *testing.T, dir string) {
	for _, processor := range []string{"amd64", "arm64"} {
		name := "kumiki_v1.2.3-rc.1_linux_" + processor
		command(t, dir, "tar", "-xzf", name+".tar.gz")
		at := filepath.Join(dir, name)
		data, err := os.ReadFile(filepath.Join(at, "kumiki"))
		require.NoError(t, err)
		info, err := buildinfo.Read(bytes.NewReader(data))
		require.NoError(t, err)
		require.LessOrEqual(t, len(data), 50_000_000, "a binary is as small as 50 MB")
		testContents(t, dir, name, info)
		for _, file := range []string{"LICENSE", "LICENSES.txt", "README.md", "man/man1/kumiki-vet.1", "man/man7/kumiki-arguments.7"} {
			require.FileExists(t, filepath.Join(at, file))
		}
		if processor != runtime.GOARCH || runtime.GOOS != "linux" {
			continue
		}
		kumiki := filepath.Join(at, "kumiki")
		require.Equal(t, says(t), command(t, dir, kumiki, "version"))
		command(t, dir, kumiki, "init", "hello")
		require.Contains(t, command(t, filepath.Join(dir, "hello"), kumiki, "render", "deploy", "-t", "kubernetes"), "kind: Deployment")
		for shell, file := range map[string]string{"bash": "kumiki.bash", "zsh": "zsh/_kumiki", "fish": "kumiki.fish", "powershell": "kumiki.ps1"} {
			text, err := os.ReadFile(filepath.Join(at, "completions", file))
			require.NoError(t, err)
			require.Equal(t, command(t, dir, kumiki, "completion", shell), string(text), shell)
		}
		testManual(t, kumiki, at)
	}
}

// testManager unpacks the archives of the manager, and runs the one for this machine.
func testManager(t *testing.T, dir string) {
	for _, processor := range []string{"amd64", "arm64"} {
		name := "kumikid_v1.2.3-rc.1_linux_" + processor
		command(t, dir, "tar", "-xzf", name+".tar.gz")
		at := filepath.Join(dir, name)
		info, err := buildinfo.ReadFile(filepath.Join(at, "kumikid"))
		require.NoError(t, err)
		testContents(t, dir, name, info)
		there, err := os.ReadDir(at)
		require.NoError(t, err)
		var names []string
		for _, f := range there {
			names = append(names, f.Name())
		}
		require.Equal(t, []string{"LICENSE", "LICENSES.txt", "kumikid", "kumikid.service", "manager.md", "sbom.cdx.json"}, names)
		licences, err := os.ReadFile(filepath.Join(at, "LICENSES.txt"))
		require.NoError(t, err)
		require.Contains(t, string(licences), "\ngo.etcd.io/etcd/server/v3 v")
		if processor == runtime.GOARCH && runtime.GOOS == "linux" {
			require.Equal(t, "kumikid "+tried.name+" ("+tried.commit+")\n"+runtime.Version()+" linux/"+processor+"\n", command(t, dir, filepath.Join(at, "kumikid"), "version"))
			require.Contains(t, environed(t, dir, []string{"PATH=" + filepath.Join(dir, strings.Replace(name, "kumikid", "kumiki", 1))}, filepath.Join(at, "kumikid"), "openapi"), `"openapi":"3.1`)
		}
	}
	unit, err := os.ReadFile("../run/units/kumikid.service")
	require.NoError(t, err)
	shipped, err := os.ReadFile(filepath.Join(dir, "kumikid_v1.2.3-rc.1_linux_amd64", "kumikid.service"))
	require.NoError(t, err)
	require.Equal(t, string(unit), string(shipped))
}

// testManual: every command that the help shows has a page, which roff has nothing to
// say against.
func testManual(t *testing.T, kumiki, at string) {
	var walk func(path ...string)
	walk = func(path ...string) {
		page := filepath.Join(at, "man/man1", strings.Join(append([]string{"kumiki"}, path...), "-")+".1")
		require.FileExists(t, page)
		if groff, err := exec.LookPath("groff"); err == nil {
			out, err := exec.Command(groff, "-Kutf8", "-Tutf8", "-man", "-ww", "-z", page).CombinedOutput()
			require.NoError(t, err)
			require.Empty(t, string(out), page)
		}
		help := command(t, at, kumiki, append(path, "--help")...)
		_, rest, ok := strings.Cut(help, "Available Commands:\n")
		if !ok {
			return
		}
		for line := range strings.Lines(rest) {
			name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
			if name == "" {
				return
			}
			walk(append(path, name)...)
		}
	}
	for _, c := range []string{"mod", "new", "saved", "targets", "completion", "vet"} {
		walk(c)
	}
	walk()
}

// testContents: the list of what a program is made of lies beside the archive and in it,
// and has the modules that the program tells.
func testContents(t *testing.T, dir, name string, info *buildinfo.BuildInfo) {
	data, err := os.ReadFile(filepath.Join(dir, name+".cdx.json"))
	require.NoError(t, err)
	inside, err := os.ReadFile(filepath.Join(dir, name, "sbom.cdx.json"))
	require.NoError(t, err)
	require.Equal(t, string(data), string(inside))
	var list cdx.BOM
	require.NoError(t, cdx.NewBOMDecoder(bytes.NewReader(data), cdx.BOMFileFormatJSON).Decode(&list))
	require.Equal(t, tried.name, list.Metadata.Component.Version)
	got := map[string]string{}
	for _, c := range *list.Components {
		got[c.Name] = c.Version
	}
	want := map[string]string{"std": info.GoVersion}
	for _, m := range info.Deps {
		want[m.Path] = m.Version
		if m.Replace != nil {
			want[m.Path] = tried.name
		}
	}
	require.Equal(t, want, got)
	require.True(t, want["cuelang.org/go"] != "" || want["kumiki.dev"] == tried.name)
}

// testDebian installs the package into a directory of its own, and removes it again.
func testDebian(t *testing.T, dir string) {
	if _, err := exec.LookPath("dpkg"); err != nil || runtime.GOARCH != "amd64" {
		t.Skip("no dpkg for this package here")
	}
	root := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(root, "var/lib/dpkg/updates"), 0o755))
	require.NoError(t, os.MkdirAll(filepath.Join(root, "var/lib/dpkg/info"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(root, "var/lib/dpkg/status"), nil, 0o644))
	dpkg := func(args ...string) string {
		return environed(t, dir, []string{"PATH=" + os.Getenv("PATH") + ":/usr/sbin:/sbin"}, "dpkg", append([]string{"--root=" + root, "--force-not-root", "--force-script-chrootless"}, args...)...)
	}
	dpkg("--install", "kumiki_v1.2.3-rc.1_linux_amd64.deb")
	require.Contains(t, dpkg("--status", "kumiki"), "\nVersion: 1.2.3~rc.1\n")
	require.Empty(t, dpkg("--verify", "kumiki"))
	require.Equal(t, says(t), command(t, dir, filepath.Join(root, "usr/bin/kumiki"), "version"))
	for _, file := range []string{"man/man1/kumiki-vet.1.gz", "man/man7/kumiki-arguments.7.gz", "bash-completion/completions/kumiki", "zsh/vendor-completions/_kumiki", "fish/vendor_completions.d/kumiki.fish", "doc/kumiki/copyright"} {
		require.FileExists(t, filepath.Join(root, "usr/share", file))
	}
	dpkg("--remove", "kumiki")
	require.NoFileExists(t, filepath.Join(root, "usr/bin/kumiki"))
}

// testImage reads a layout as its specification says, from index.json to the files.
func testImage(t *testing.T, files []file, name, ref, program string) {
	parts := unpacked(t, find(t, files, name))
	require.JSONEq(t, `{"imageLayoutVersion": "1.0.0"}`, string(parts["oci-layout"]))
	blob := func(d oci.Descriptor, to any) []byte {
		data := parts["blobs/sha256/"+d.Digest.Encoded()]
		require.Equal(t, d.Digest, digest.FromBytes(data))
		require.Equal(t, d.Size, int64(len(data)))
		if to != nil {
			require.NoError(t, json.Unmarshal(data, to))
		}
		return data
	}
	var top, index oci.Index
	require.NoError(t, json.Unmarshal(parts["index.json"], &top))
	require.Len(t, top.Manifests, 1)
	require.Equal(t, ref, top.Manifests[0].Annotations["io.containerd.image.name"])
	blob(top.Manifests[0], &index)
	require.Len(t, index.Manifests, 2)
	for i, processor := range []string{"amd64", "arm64"} {
		var manifest oci.Manifest
		var config oci.Image
		require.Equal(t, &oci.Platform{OS: "linux", Architecture: processor}, index.Manifests[i].Platform)
		blob(index.Manifests[i], &manifest)
		blob(manifest.Config, &config)
		require.Equal(t, processor, config.Architecture)
		require.Equal(t, []string{"/" + program}, config.Config.Entrypoint)
		inside := map[string][]byte{}
		require.Len(t, config.RootFS.DiffIDs, len(manifest.Layers))
		for n, layer := range manifest.Layers {
			unzipped, err := gzip.NewReader(bytes.NewReader(blob(layer, nil)))
			require.NoError(t, err)
			data, err := io.ReadAll(unzipped)
			require.NoError(t, err)
			require.Equal(t, config.RootFS.DiffIDs[n], digest.FromBytes(data))
			maps.Copy(inside, unpacked(t, data))
		}
		info, err := buildinfo.Read(bytes.NewReader(inside[program]))
		require.NoError(t, err)
		require.Equal(t, map[bool]string{false: "kumiki.dev/cmd/", true: "kumiki.dev/run/cmd/"}[program == "kumikid"]+program, info.Path)
		if program == "kumikid" {
			require.NotEmpty(t, inside["kumiki"], "the compiler lies beside it")
			require.NotEmpty(t, inside["licences/kumikid/LICENSES.txt"])
		}
		if certificates, ok := inside["etc/ssl/certs/ca-certificates.crt"]; ok {
			require.True(t, x509.NewCertPool().AppendCertsFromPEM(certificates))
		}
	}
}

func find(t *testing.T, files []file, name string) []byte {
	for _, f := range files {
		if f.name == name {
			return f.data
		}
	}
	require.Fail(t, "there is no "+name)
	return nil
}

// unpacked are the files of a tar, all of which are root's.
func unpacked(t *testing.T, data []byte) map[string][]byte {
	out := map[string][]byte{}
	for r := tar.NewReader(bytes.NewReader(data)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		require.NoError(t, err)
		require.Equal(t, tried.date, h.ModTime.UTC())
		if h.Name == "state/" {
			require.Equal(t, []int{nobody, nobody, 0o700}, []int{h.Uid, h.Gid, int(h.Mode)})
		} else {
			require.Zero(t, h.Uid+h.Gid, h.Name)
		}
		if out[h.Name], err = io.ReadAll(r); err != nil {
			require.NoError(t, err)
		}
	}
}

// TestDockerfile: the Dockerfile of the resolver makes what the release has.
func TestDockerfile(t *testing.T) {
	text, err := os.ReadFile("../cmd/kumiki-resolver/Dockerfile")
	require.NoError(t, err)
	config := resolverConfig
	require.Contains(t, string(text), "\nENV "+config.Env[0]+"\n")
	require.Contains(t, string(text), "\nUSER "+config.User+"\n")
	require.Contains(t, string(text), "\nENTRYPOINT [\""+config.Entrypoint[0]+"\"]\n")
}

// TestManagerDocuments: the manager's archives have the unit that their system has use for, and the
// licence of every module of the manager.
func TestManagerDocuments(t *testing.T) {
	files, err := managerDocuments(t.Context(), "..")
	require.NoError(t, err)
	for system, other := range map[string]string{"linux": agent, "darwin": unit} {
		var names []string
		for _, f := range forSystem(platform{system, "arm64"}, files) {
			names = append(names, f.name)
		}
		require.Len(t, names, len(files)-1)
		require.NotContains(t, names, other)
	}
	require.Contains(t, string(find(t, files, "LICENSES.txt")), "\ngo.etcd.io/etcd/server/v3 v")
	require.NotContains(t, string(find(t, files, "LICENSES.txt")), "\nkumiki.dev ")
}

// TestZip packs for Windows; that the program there is of another system changes nothing.
func TestZip(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	data, err := os.ReadFile(self)
	require.NoError(t, err)
	b := binary{"kumiki.exe", platform{"windows", "arm64"}, data}
	common := []file{{name: "README.md", data: []byte("read me")}, {name: "man/man1/kumiki.1", data: []byte("page")}}
	files, err := pack(tried, b, common)
	require.NoError(t, err)
	require.Len(t, files, 2)
	require.Equal(t, "kumiki_v1.2.3-rc.1_windows_arm64.zip", files[1].name)
	r, err := zip.NewReader(bytes.NewReader(files[1].data), int64(len(files[1].data)))
	require.NoError(t, err)
	var names []string
	for _, f := range r.File {
		names = append(names, strings.TrimPrefix(f.Name, "kumiki_v1.2.3-rc.1_windows_arm64/"))
		require.Equal(t, tried.date, f.Modified.UTC())
	}
	require.Equal(t, []string{"README.md", "kumiki.exe", "man/man1/kumiki.1", "sbom.cdx.json"}, names)
	again, err := pack(tried, b, common)
	require.NoError(t, err)
	require.Equal(t, files, again)
}

// TestArguments: what is no release is refused before anything is built.
func TestArguments(t *testing.T) {
	there := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(there, "mine"), nil, 0o644))
	for _, c := range []struct{ args, want string }{
		{"", `-version "": write one such as v1.2.3`},
		{"-version 1.2.3", `-version "1.2.3": write one`},
		{"-version v1.2", `-version "v1.2": write one`},
		{"-version v1.2.3 -commit x -out " + there, there + " has files already"},
		{"-version v1.2.3 -root " + there + " -out " + there + "/out", "say -commit and -date where there is none"},
	} {
		require.ErrorContains(t, run(context.Background(), strings.Fields(c.args)), c.want)
	}
}
