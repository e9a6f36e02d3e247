package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

// hiddenValues are the secrets of testdata/secrets.txtar: what has one of them in it
// shows it.
var hiddenValues = []string{
	"Tr0ub4dor", "geheim", "tok-en-0123", "first words of a phrase", "second words of it", "MHcCAQEEIIrYSSNQFaA2Hwf1duRSxKtLYX5CB04fSeQ6tF1aY",
	"yaml-pass-77", "line-pass-88", "T0/B0/abcDEF", "default-pass-99", "conflict-one-1", "conflict-two-2", "unquoted-3", "set-pass-4", "command-pass-5", "taken-pass-6",
	"aliased value", "eyJhbGciOiJIUzI1NiJ9",
}

// invocation is how a command is called, in the directory of the module.
type invocation struct {
	args  string // separated by spaces
	shows bool   // whether it has secrets to hide
}

// invocations are calls of every command, by its path; none for one that has no values
// to print.
var invocations = map[string][]invocation{
	"kumiki bundle":          {{"bundle app/deploy --out app.bundle", false}, {"bundle app/conflict --out no.bundle", true}},
	"kumiki compat":          {{"compat app changed", true}, {"compat app changed -o json", true}},
	"kumiki compile":         {{"compile app/deploy --out again.json", false}, {"compile app/deploy --emit spread", true}, {"compile app/deploy --emit unified", true}, {"compile app/conflict", true}, {"compile app/deploy --set config.parameter.dbPassword=set-pass-4 --set config.parameter.count=set-pass-4", true}},
	"kumiki saved delete":    {{"saved delete app -t kubernetes", false}},
	"kumiki saved diff":      {{"saved diff app --details", true}, {"saved diff app --details -o json", true}, {"saved diff app -o markdown -t swarm", true}, {"saved diff app --details -t kubernetes", true}, {"saved diff app --details -t swarm -o json", true}},
	"kumiki doc":             {{"doc app/s", true}, {"doc app/s -o html", true}},
	"kumiki env list":        {{"env list app", true}, {"env list app -o json", true}},
	"kumiki env import":      {{"env import found cluster.json", false}},
	"kumiki new environment": {{"new environment made", false}},
	"kumiki explain":         {{"explain solution/secret-in-env", false}},
	"kumiki fill":            {{"fill broken.json --live old.json", true}, {"fill old.json --live old.json --out filled.json", false}},
	"kumiki graph":           {{"graph app/deploy", false}, {"graph app/deploy -o svg", false}, {"graph old.json app/deploy -o json", true}, {"graph app/deploy -o dot", false}},
	"kumiki saved history":   {{"saved history app", false}, {"saved history -o json", false}},
	"kumiki impact":          {{"impact app/deploy config.parameter.dbPassword=set-pass-4", true}, {"impact app/deploy config.parameter.dbPassword=set-pass-4 -o json", true}},
	"kumiki index":           {{"index app", true}},
	"kumiki init":            {{"init made", false}, {"init composed --from compose.yaml", false}},
	"kumiki instances":       {{"instances * app/deploy", false}, {"instances * app/deploy -o json", false}},
	"kumiki lint":            {{"lint app", false}},
	"kumiki list":            {{"list app", false}, {"list app -o json", true}},
	"kumiki lower":           {{"lower broken.json -t kubernetes", true}, {"lower old.json -t kubernetes --out objects", false}},
	"kumiki migrate":         {{"migrate broken.json", true}},
	"kumiki capacity":        {{"capacity old.json -t swarm --nodes old.json", false}},
	"kumiki matrix":          {{"matrix app", false}},
	"kumiki new template":    {{"new template small --of app/s", false}},
	"kumiki needs":           {{"needs app/deploy -t kubernetes", false}, {"needs old.json -t swarm -o commands", false}},
	"kumiki new component":   {{"new component made --image team/made:1.2.3", false}},
	"kumiki new deployment":  {{"new deployment app/s", true}},
	"kumiki new example":     {{"new example small --of app/s", false}},
	"kumiki new service":     {{"new service all --role app/s", false}},
	"kumiki order":           {{"order app/deploy", false}},
	"kumiki stale":           {{"stale old.json", false}, {"stale old.json -o json", false}},
	"kumiki links":           {{"links old.json", false}, {"links old.json -o json", false}},
	"kumiki layout":          {{"layout old.json", true}, {"layout old.json -o json", true}, {"layout app/deploy -t kubernetes", true}},
	"kumiki dependents":      {{"dependents hello old.json", false}, {"dependents hello old.json -o json", false}},
	"kumiki owner":           {{"owner Deployment/app-c app/deploy -t kubernetes", false}},
	"kumiki params":          {{"params app/s", true}, {"params app/s -o json", true}, {"params app/s -o yaml", true}, {"params app/s -o cue", true}, {"params app/s -o jsonschema", true}},
	"kumiki plan":            {{"plan old.json app/deploy --details", true}, {"plan none app/deploy -t kubernetes -o json", false}, {"plan old.json app/deploy -o json -t kubernetes", true}, {"plan old.json app/deploy -o markdown -t kubernetes", true}, {"plan old.json app/deploy -o json -t swarm", true}, {"plan old.json app/conflict", true}},
	"kumiki prune":           {{"prune old.json app/deploy -t kubernetes", false}, {"prune old.json none -t kubernetes -o json", false}},
	"kumiki qos":             {{"qos app/conflict --load users=1..2", true}, {"qos app/conflict --load users=1..2 -o json", true}},
	"kumiki render":          {{"render app/conflict -t kubernetes", true}, {"render app/deploy -t swarm --out stack", false}},
	"kumiki saved rollback":  {{"saved rollback app --details", true}},
	"kumiki search":          {{"search app --in index.json", false}},
	"kumiki saved show":      {{"saved show app 99", false}, {"saved show app --input", false}},
	"kumiki saved verify":    {{"saved verify app", false}},
	"kumiki targets compare": {{"targets compare old.json", false}, {"targets compare broken.json", true}},
	"kumiki test":            {{"test app", true}, {"test app -o json", true}, {"test app -o junit", true}},
	"kumiki types":           {{"types app/deploy", false}},
	"kumiki unused":          {{"unused app/deploy", false}},
	"kumiki verify":          {{"verify old.json", false}, {"verify broken.json", true}},
	"kumiki version":         {{"version", false}},
	"kumiki vet": {{"vet app/deploy", false}, {"vet app/conflict", true}, {"vet app/conflict -o json", true}, {"vet app/conflict -o sarif", true}, {"vet app/conflict -o github", true},
		{"vet app/conflict --color always --all", true}, {"vet app/deploy --color always --strict", true}, {"vet app/broken --color always", true}, {"vet app/deploy -f values.yaml --color always", true},
		{"vet --fix --dry-run app/misspelt", true}, {"vet app/deploy --with old.json", false}},
	"kumiki watch": {{"watch app/conflict", true}},
	"kumiki why": {{"why app/deploy config.parameter.dbPassword", true}, {"why app/deploy c.config.parameter.word -o json", true}, {"why app/deploy -t kubernetes Deployment/app-c:spec.template.spec.containers[c].env[DB_PASSWORD].value", true},
		{"why app/deploy c.code.c.mapping.env.DATABASE_URL", true}},
	"kumiki mod upgrade": {{"mod upgrade --check app", true}, {"mod upgrade --check app -o json", true}},
	"kumiki mod migrate": {{"mod migrate app", false}},
	"kumiki publish":     {{"publish v0.1.0 app --dry-run", false}},
	// These are the same by the names that they had.
	"kumiki history": nil, "kumiki show": nil, "kumiki diff": nil, "kumiki rollback": nil,
	// These take a cluster: what they print goes through the same hiding streams.
	"kumiki apply": nil, "kumiki status": nil, "kumiki drift": nil, "kumiki delete": nil, "kumiki stop": nil, "kumiki start": nil, "kumiki restart": nil,
	"kumiki wait": nil, "kumiki logs": nil, "kumiki nodes": nil, "kumiki move": nil, "kumiki drain": nil, "kumiki notify": nil, "kumiki rbac": nil,
	// These take a manager: what they print goes through the same hiding streams.
	"kumiki login": nil, "kumiki logout": nil, "kumiki ops list": nil, "kumiki ops watch": nil, "kumiki ops cancel": nil,
	// These read modules, digests and keys, and no values.
	"kumiki mod init": nil, "kumiki mod major": nil, "kumiki mod list": nil, "kumiki mod get": nil, "kumiki mod tidy": nil, "kumiki mod graph": nil, "kumiki mod versions": nil, "kumiki mod vendor": nil, "kumiki mod mirror": nil,
	"kumiki mod resolve": nil, "kumiki mod verify": nil, "kumiki mod why": nil, "kumiki mod lift": nil,
	// What it prints is a plan, as plan prints it.
	"kumiki promote": nil,
	// An editor shows them by itself; lsp has a test of what is added.
	"kumiki lsp": nil, "kumiki lsp worker": nil, "kumiki lsp cue": nil,
}

// TestSecretsAreHidden: no command prints a secret, unless it is told to.
func TestSecretsAreHidden(t *testing.T) {
	writeSecrets(t)
	for _, path := range commandsOf(newRootCmd(testStreams())) {
		calls, known := invocations[path]
		if !known {
			t.Errorf("%s: say in invocations how it is called, so that it is known to print no secrets", path)
		}
		for _, call := range calls {
			t.Run(strings.ReplaceAll(call.args, "/", "_"), func(t *testing.T) {
				restoreSaved(t)
				args := strings.Fields(call.args)
				hidden := output(t, args...)
				restoreSaved(t)
				shown := output(t, append(slices.Clone(args), "--show-values")...)
				for _, value := range hiddenValues {
					require.NotContains(t, hidden, value)
				}
				require.Equal(t, call.shows, slices.ContainsFunc(hiddenValues, func(v string) bool { return strings.Contains(shown, v) }), "with --show-values:\n%s", shown)
				if call.shows {
					require.Contains(t, hidden, "(hidden")
				}
			})
		}
	}
}

// TestSecretsAreWritten: what runs needs them, and files that have them are the user's.
func TestSecretsAreWritten(t *testing.T) {
	writeSecrets(t)
	for _, call := range []string{"compile app/deploy", "render app/deploy -t kubernetes", "render app/deploy -t swarm", "lower old.json -t kubernetes", "saved show app", "migrate old.json"} {
		require.Contains(t, output(t, strings.Fields(call)...), "geheim", call)
	}
	output(t, "render", "app/deploy", "-t", "kubernetes", "--out", "made/objects")
	output(t, "bundle", "app/deploy", "-o", "made/app.bundle")
	require.NoError(t, os.WriteFile("made/open.json", nil, 0o644))
	output(t, "compile", "app/deploy", "-o", "made/open.json")
	output(t, "compile", "app/deploy", "--save=made/solutions")
	files := 0
	require.NoError(t, filepath.Walk("made", func(path string, info os.FileInfo, err error) error {
		if info.IsDir() {
			require.Equal(t, os.FileMode(0o700), info.Mode().Perm(), path)
		} else if filepath.Base(path) != ".lock" {
			files++
			require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), path)
		}
		return err
	}))
	require.Greater(t, files, 5)
}

// TestSecretsStrict: with --strict, a secret in a source is an error, and nothing is made.
func TestSecretsStrict(t *testing.T) {
	writeSecrets(t)
	require.Contains(t, output(t, "vet", "app/deploy", "--strict"), "12 errors")
	require.NotContains(t, output(t, "render", "app/deploy", "-t", "kubernetes", "--strict"), "kind:")
	require.NotContains(t, output(t, "compile", "app/deploy", "--strict"), "cspec")
}

// writeSecrets makes a module with secrets in all places, and solutions of it.
func writeSecrets(t *testing.T) {
	dir := t.TempDir()
	archive, err := txtar.ParseFile("testdata/secrets.txtar")
	require.NoError(t, err)
	for _, f := range archive.Files {
		name := filepath.Join(dir, f.Name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
		require.NoError(t, os.WriteFile(name, f.Data, 0o644))
	}
	require.NoError(t, os.CopyFS(filepath.Join(dir, "changed"), os.DirFS(filepath.Join(dir, "app"))))
	t.Chdir(dir)
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "CUE_CACHE_DIR", "CUE_CONFIG_DIR"} {
		t.Setenv(name, filepath.Join(dir, "home"))
	}
	t.Setenv("CUE_REGISTRY", "none")
	edit(t, "changed/s/s.cue", "default-pass-99", "default-pass-98")
	output(t, "compile", "app/deploy", "--save=first", "-o", "now.json")
	edit(t, "app/deploy/d.cue", `"geheim`, `"vorher geheim`)
	output(t, "compile", "app/deploy", "--save=first")
	output(t, "compile", "app/deploy", "-o", "old.json")
	edit(t, "app/deploy/d.cue", `"vorher geheim`, `"geheim`)
	output(t, "compile", "app/deploy", "--save=first")
	text, err := os.ReadFile("old.json")
	require.NoError(t, err)
	broken := strings.Replace(string(text), `"format": "text"`, `"format": "tok-en-0123"`, 1)
	require.NoError(t, os.WriteFile("broken.json", []byte(broken), 0o600))
	output(t, "index", "app", "-o", "index.json")
	restoreSaved(t)
}

// restoreSaved puts the history back that a command may have changed.
func restoreSaved(t *testing.T) {
	require.NoError(t, os.RemoveAll("solutions"))
	require.NoError(t, os.CopyFS("solutions", os.DirFS("first")))
}

func edit(t *testing.T, name, old, new string) {
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Contains(t, string(text), old)
	require.NoError(t, os.WriteFile(name, []byte(strings.ReplaceAll(string(text), old, new)), 0o644))
}

func testStreams() streams {
	s, _ := streams{strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{}, nil, nil, nil}.hiding()
	return s
}

// output is all that a command prints, within a few seconds if it has no end.
func output(t *testing.T, args ...string) string {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if args[0] == "watch" {
		ctx, cancel = context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
	}
	var out, err bytes.Buffer
	run(ctx, args, streams{in: strings.NewReader(""), out: &out, err: &err})
	return out.String() + err.String()
}

// commandsOf are the paths of all commands that do something, hidden ones too.
func commandsOf(cmd *cobra.Command) []string {
	var out []string
	if cmd.Runnable() && !slices.ContainsFunc(cmd.Commands(), func(c *cobra.Command) bool { return !c.Hidden }) {
		out = append(out, cmd.CommandPath())
	}
	for _, c := range cmd.Commands() {
		out = append(out, commandsOf(c)...)
	}
	return out
}
