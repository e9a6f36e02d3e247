package main

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	requestLine = regexp.MustCompile(`(?m)^curl .*$`)
	words       = regexp.MustCompile(`'[^']*'|"[^"]*"|\S+`)
)

// TestDocs sends the requests of docs/manager.md in their order, with the digest, the
// operation and the revision that there are in place of the page's.
func TestDocs(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/manager.md")
	require.NoError(t, err)
	lines := requestLine.FindAllString(string(page), -1)
	require.Len(t, lines, 7)
	d := newDaemon(t)
	var digest, operation string
	for _, line := range lines {
		r := readCurl(t, line)
		var body any
		switch {
		case r.file != "":
			body = bundle(t, shop)
		case r.data != "":
			require.NoError(t, json.Unmarshal([]byte(strings.ReplaceAll(r.data, "sha256:4f…", digest)), &body), line)
		}
		headers := r.headers
		if r.matches {
			headers = append(headers, d.of("shop"))
		}
		answer, err := d.try(r.method, strings.ReplaceAll(r.path, "0194…", operation), body, headers...)
		require.NoError(t, err, line)
		require.Less(t, answer.status, 300, "%s: %s", line, answer.body)
		var is struct {
			Digest    string
			Operation struct{ ID string }
		}
		answer.read(t, &is)
		if is.Digest != "" {
			digest = is.Digest
		}
		if is.Operation.ID != "" {
			operation = is.Operation.ID
			d.well(answer)
		}
	}
	d.ask(404, "GET", "/v1/deployments/shop", nil)
}

// curl is a request as a page writes it.
type curl struct {
	method, path, data, file string
	headers                  []string
	matches                  bool // it has If-Match
}

func readCurl(t *testing.T, line string) curl {
	t.Helper()
	out := curl{method: "GET"}
	method := "" // as -X says
	args := words.FindAllString(line, -1)[1:]
	for i := 0; i < len(args); i++ {
		flag := args[i]
		if !strings.HasPrefix(flag, "-") {
			path, ok := strings.CutPrefix(strings.Trim(flag, `"`), "$H")
			require.True(t, ok, line)
			out.path = "/v1" + path
			continue
		}
		i++
		require.Less(t, i, len(args), line)
		given := strings.Trim(args[i], `'`)
		switch flag {
		case "-X":
			method = given
		case "-d":
			out.method, out.data = "POST", given
		case "--data-binary":
			out.method, out.file = "POST", given
		case "-H":
			if strings.HasPrefix(given, "If-Match: ") {
				out.matches = true
			} else if given != `"$A"` {
				out.headers = append(out.headers, given)
			}
		default:
			t.Fatalf("%s: what does %s say?", line, flag)
		}
	}
	if method != "" {
		out.method = method
	}
	return out
}
