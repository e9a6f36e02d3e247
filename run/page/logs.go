package page

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"kumiki.dev/live"
	"kumiki.dev/run/access"
	"kumiki.dev/run/api"
	"kumiki.dev/run/record"
)

// mostLines is how many lines of each instance a page shows.
const mostLines = 200

type logsBody struct {
	Name, Path string
	Lines      []live.Line
	Most       int
	Wrong      *api.Fault
}

// showLogs shows the last lines that instances have written.
func showLogs(v *visit) error {
	if err := v.needs(access.Deployer); err != nil {
		return err
	}
	b := logsBody{Name: v.r.PathValue("name"), Path: v.r.URL.Query().Get("path"), Most: mostLines}
	ask := url.Values{"tail": {strconv.Itoa(mostLines)}}
	if b.Path != "" {
		ask.Set("path", b.Path)
	}
	var text []byte
	if err := v.get("/v1/deployments/"+url.PathEscape(b.Name)+"/logs?"+ask.Encode(), &text); err != nil {
		return err
	}
	b.Lines, b.Wrong = linesOf(text)
	return v.show(http.StatusOK, "logs", frame{Title: "Logs of " + b.Name, At: "deployments", Poll: true, Body: b})
}

// linesOf reads events: lines, and what has ended them, nil for that all were read.
func linesOf(text []byte) (lines []live.Line, wrong *api.Fault) {
	kind := ""
	in := bufio.NewScanner(bytes.NewReader(text))
	in.Buffer(nil, len(text)+1)
	for in.Scan() {
		name, data, _ := strings.Cut(in.Text(), ": ")
		switch {
		case name == "event":
			kind = data
		case name != "data":
		case kind == "line":
			var l live.Line
			if json.Unmarshal([]byte(data), &l) == nil {
				lines = append(lines, l)
			}
		case kind == "error":
			wrong = &api.Fault{Detail: data}
			_ = json.Unmarshal([]byte(data), wrong)
		}
	}
	return lines, wrong
}

// aboutOf is what an operation is about.
func aboutOf(o record.Operation) string {
	if o.Move != nil {
		return "node " + o.Move.Node + " of " + o.Move.Environment
	}
	return o.Deployment
}
