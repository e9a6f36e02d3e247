package golden_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

// generated are pages that a test makes of something else that runs, by name.
var generated = map[string]string{
	"architecture.md":    "its blocks are sections of a case",
	"cli.md":             "made of the commands",
	"errors-compared.md": "made of what both tools print",
	"errors.md":          "made of the explanations, whose examples a test compiles",
	"mistakes.md":        "made of cases",
	"performance.md":     "written by make bench",
	"reference.md":       "made of the schema",
	"topics.md":          "made of the schema",
}

// elsewhere are the commands that no script runs, by what they begin with, and why.
var elsewhere = []struct{ begins, reason string }{
	{"cd ", "only says where"},
	{"mkdir ", "makes a directory"},
	{"export CUE_REGISTRY=dir:", "the script sets the same variable"},
	{".ci/run", "what runs the tests"},
	{"kubectl ", "test/kubernetes applies what is rendered to a real API server"},
	{"kumiki apply ", "test/kubernetes runs it on a real API server"},
	{"kumiki status", "test/kubernetes runs it on a real API server"},
	{"kumiki drift ", "test/kubernetes runs it on a real API server"},
	{"kumiki stop ", "test/kubernetes runs it on a real API server"},
	{"kumiki restart ", "test/kubernetes runs it on a real API server"},
	{"kumiki delete ", "test/kubernetes runs it on a real API server"},
	{"kumiki diff ", "test/kubernetes runs it on a real API server"},
	{"kumiki logs ", "test/kubernetes runs it on a real API server"},
	{"kumiki wait ", "test/kubernetes runs it on a real API server"},
	{"kumiki nodes", "test/kubernetes runs it on a real API server"},
	{"kumiki move ", "test/kubernetes runs it on a real API server"},
	{"kumiki drain ", "test/kubernetes runs it on a real API server"},
	{"kumiki notify ", "test/kubernetes runs it on a real API server"},
	{"kumiki rbac ", "test/kubernetes runs it on a real API server"},
	{"kumikid serve", "the tests in run do"},
	{"git archive ", "makes a zip archive; the tests in run upload one of such a tree"},
	{"POST /v1/placements", "the tests in run send such requests"},
	{"GET /v1/placements", "the tests in run send such requests"},
	{"kumikid backup ", "the tests in run do"},
	{"kumikid restore ", "the tests in run do"},
	{"echo KUMIKID_FLAGS=", "the tests in run start kumikid by the unit's line, with such flags"},
	{"sudo tee /etc/default/kumikid", "writes a file"},
	{"sudo systemctl ", "docs/install.md says that it was not tried; systemd-analyze verifies the unit"},
	{"sudo kumiki login unix:", "the tests in run ask on the unit's socket"},
	{"cp kumikid_", "copies a file"},
	{"launchctl ", "docs/install.md says that it was not tried"},
	{"docker exec manager ", "test/swarm asks on the container's socket"},
	{"kumiki login ", "the tests in run do, at a real kumikid"},
	{"kumiki logout", "the tests in run do, at a real kumikid"},
	{"kumiki ops ", "the tests in run do, at a real kumikid"},
	{"kumiki history ", "the tests in run do, at a real kumikid"},
	{"kumiki rollback ", "the tests in run do, at a real kumikid"},
	{"curl -H $A ", "the tests in run send the same requests"},
	{"A=Authorization: ", "only says how the commands below it are written"},
	{"kumiki bundle deploy --out ", "the tests in run make the bundle of an example"},
	{"docker stack deploy ", "test/swarm deploys stacks to a real engine"},
	{"docker load ", "test/swarm loads the images into a real engine"},
	{"docker run ", "test/swarm runs the images"},
	{"docker build ", "needs an engine that builds; test/swarm loads the same image as a release has it"},
	{"docker compose ", "the Compose plugin is not here; the file that it writes is a Compose file"},
	{"kind ", "docs/install.md says that it was not tried"},
	{"skopeo ", "docs/install.md says that it was not tried"},
	{"ctr ", "test/swarm imports the image into containerd"},
	{"cosign ", "module/registry holds signatures against cosign's own library"},
	{"openssl ", "a key for the command below it; the scripts bring keys"},
	{"go install ./cmd/kumiki", "make test-release does"},
	{"git checkout ", "only says of which version"},
	{"tar -xzf ", "make test-release unpacks the archive"},
	{"sudo install ", "copies a file"},
	{"sudo dpkg ", "make test-release installs and removes the package"},
	{"sha256sum ", "make test-release compares all checksums"},
	{"shasum ", "macOS' form of sha256sum"},
	{"(Get-FileHash ", "PowerShell's form of sha256sum"},
	{"kumiki mod mirror --to ./modules", "testdata/script/mod-web.txtar mirrors to a directory of another name"},
	{"rsync ", "copies a directory to a web server"},
	{"CUE_REGISTRY=https://example.org/modules/ ", "testdata/script/mod-web.txtar does so with a server on this machine"},
	{"diff dist/SHA256SUMS ", "make test-release compares two builds"},
}

// layouts are blocks that show neither commands nor output: the first line of each.
var layouts = []string{
	"shop/",                         // the files of a module
	"solutions/shop/637837bb….json", // the files of a history
	"kumiki v0.0.0-20261124030403",  // a version, which no two builds share
}

// TestDocsRun: every command in a block of the documentation is run by a script, with the
// very same arguments, or is among those that run elsewhere, and every output is a section of
// a script or case (TestDocs holds it equal).
func TestDocsRun(t *testing.T) {
	ran := scripted(t)
	targets := makeTargets(t)
	used := map[string]bool{}
	for _, file := range pages(t) {
		for _, b := range blocks(t, file) {
			if slices.ContainsFunc(layouts, func(first string) bool { return strings.HasPrefix(b, first) }) {
				continue
			}
			for line := range strings.Lines(b) {
				for _, command := range commands(line) {
					i := slices.IndexFunc(elsewhere, func(e struct{ begins, reason string }) bool { return strings.HasPrefix(command, e.begins) })
					target, isMake := strings.CutPrefix(command, "make ")
					switch {
					case i >= 0:
						used[elsewhere[i].begins] = true
					case isMake && targets[strings.Fields(target)[0]]:
					case ran[command]:
					default:
						t.Errorf("%s: no script runs %q, nor is it the output of one: let one in testdata/script do so, or mark the block with <!-- testdata/script/FILE SECTION -->", file, command)
					}
				}
			}
		}
	}
	for file := range marked(t) {
		script, err := txtar.ParseFile(filepath.Join("../..", file.name))
		require.NoError(t, err)
		words := strings.FieldsFunc(string(script.Comment), func(r rune) bool { return strings.ContainsRune(" \t\n/", r) })
		require.Contains(t, words, file.section, "no command of %s uses its section %s", file.name, file.section)
	}
	for _, e := range elsewhere {
		require.True(t, used[e.begins], "no page has %q any more", e.begins)
	}
}

// TestReadme: who comes new reads the README to its end.
func TestReadme(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	require.LessOrEqual(t, strings.Count(string(data), "\n"), 150)
}

// shown is a section of a script that a page shows.
type shown struct{ name, section string }

// marked are the sections of scripts that pages show.
func marked(t *testing.T) map[shown]bool {
	t.Helper()
	out := map[shown]bool{}
	for _, file := range pages(t) {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, m := range block.FindAllStringSubmatch(string(data), -1) {
			if strings.HasPrefix(m[2], "testdata/script/") {
				out[shown{m[2], strings.TrimSpace(m[3])}] = true
			}
		}
	}
	return out
}

// pages are those that are written by hand.
func pages(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	tasks, err := filepath.Glob("../../docs/howto/*.md")
	require.NoError(t, err)
	files = slices.DeleteFunc(files, func(file string) bool { return generated[filepath.Base(file)] != "" })
	return slices.Concat(files, tasks, []string{"../../README.md", "../../CONTRIBUTING.md"})
}

// scripted are the commands of all scripts.
func scripted(t *testing.T) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	files, err := filepath.Glob("../../testdata/script/*.txtar")
	require.NoError(t, err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		script, _, _ := strings.Cut(string(data), "\n-- ")
		for line := range strings.Lines(script) {
			if i := strings.Index(line, " kumiki "); i >= 0 && !strings.HasPrefix(line, "#") {
				out[strings.Join(strings.Fields(strings.ReplaceAll(line[i:], "'", "")), " ")] = true
			}
		}
	}
	return out
}

var makeTarget = regexp.MustCompile(`(?m)^([\w-]+):`)

func makeTargets(t *testing.T) map[string]bool {
	t.Helper()
	data, err := os.ReadFile("../../Makefile")
	require.NoError(t, err)
	out := map[string]bool{}
	for _, m := range makeTarget.FindAllStringSubmatch(string(data), -1) {
		out[m[1]] = true
	}
	return out
}

// blocks are the code blocks of a page that are shell or output, and are not held equal to
// what a script has: fenced ones in no language or sh, and indented ones.
func blocks(t *testing.T, file string) []string {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	var out []string
	inside, kept, before, open, code := false, false, "", true, false // open: an indented line is code; code: the last was
	for line := range strings.Lines(string(data)) {
		indented := !inside && strings.HasPrefix(line, "    ")
		switch {
		case strings.HasPrefix(line, "```"):
			lang := strings.TrimSpace(strings.TrimPrefix(line, "```"))
			if inside = !inside; inside {
				kept = !strings.HasPrefix(before, "<!-- testdata/") && (lang == "" || lang == "sh")
				if kept {
					out = append(out, "")
				}
			}
		case inside && kept:
			out[len(out)-1] += line
		case indented && code:
			out[len(out)-1] += strings.TrimPrefix(line, "    ")
		case indented && open:
			out = append(out, strings.TrimPrefix(line, "    "))
		}
		code = indented && open
		before, open = line, strings.TrimSpace(line) == "" || code
	}
	return out
}

var (
	remark   = regexp.MustCompile(`\s#\s.*$`)
	redirect = regexp.MustCompile(`\s>>?\s*\S+`)
)

// commands are those of a line of a shell, without comments and where their output goes.
func commands(line string) []string {
	line = redirect.ReplaceAllString(remark.ReplaceAllString(strings.TrimRight(line, "\n"), ""), "")
	var out []string
	for _, part := range regexp.MustCompile(`\s(\||&&|;)\s`).Split(line, -1) {
		if part = strings.Join(strings.Fields(strings.NewReplacer("'", "", `"`, "").Replace(part)), " "); part != "" {
			out = append(out, part)
		}
	}
	return out
}
