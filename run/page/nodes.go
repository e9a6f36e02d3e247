package page

import (
	"cmp"
	"crypto/rand"
	"net/http"
	"net/url"
	"strings"

	"kumiki.dev/run/access"
	"kumiki.dev/run/api"
	"kumiki.dev/run/operate"
	"kumiki.dev/run/record"
)

type nodesBody struct {
	Items  []api.Node
	Silent []api.Silent
	// Moves tells that who looks may move instances: there are those of others on a node.
	Moves bool
}

func showNodes(v *visit) error {
	var b nodesBody
	if err := v.get("/v1/nodes", &b); err != nil {
		return err
	}
	b.Moves = v.me.Role.Includes(access.Operator) && v.me.Selector == ""
	return v.show(http.StatusOK, "nodes", frame{Title: "Nodes", At: "nodes", Watch: "operations", Body: b})
}

type moveBody struct {
	Environment, Node, What string
	Data, Key               string
	Plan                    *operate.Preview
	Wrong                   *api.Fault
}

// moveOf is the request that a page about a node stands for.
func (v *visit) moveOf() (b moveBody, path string, body map[string]any, err error) {
	b = moveBody{Environment: v.r.PathValue("environment"), Node: v.r.PathValue("node"), What: v.r.PathValue("what"), Data: strings.TrimSpace(v.r.FormValue("data")), Key: cmp.Or(v.r.FormValue("key"), rand.Text())}
	switch record.Verb(b.What) {
	case record.MoveNode, record.DrainNode, record.OpenNode:
	default:
		return b, "", nil, wrong("%q is nothing that can be done with a node", b.What)
	}
	body = map[string]any{}
	if data := strings.FieldsFunc(b.Data, func(r rune) bool { return r == ',' || r == ' ' }); len(data) > 0 {
		body["allowData"] = data
	}
	return b, "/v1/environments/" + url.PathEscape(b.Environment) + "/nodes/" + url.PathEscape(b.Node) + "/" + b.What, body, v.needs(access.Operator)
}

// showMove shows which instances would leave a node.
func showMove(v *visit) error {
	b, path, body, err := v.moveOf()
	if err != nil {
		return err
	}
	var a api.Answer
	status := http.StatusOK
	if err := v.ask(http.MethodPost, path+"?dryRun=true", body, &a, nil); err != nil {
		if b.Wrong = faultOf(err); b.Wrong.Status != http.StatusUnprocessableEntity {
			return err
		}
		status = b.Wrong.Status
	}
	b.Plan = a.Plan
	return v.show(status, "move", frame{Title: b.What + " " + b.Node, At: "nodes", Body: b})
}

// move begins what a page has shown.
func move(v *visit) error {
	v.r.Body = http.MaxBytesReader(v.w, v.r.Body, 1<<16)
	b, path, body, err := v.moveOf()
	if err != nil {
		return err
	}
	var a api.Answer
	if err := v.ask(http.MethodPost, path, body, &a, http.Header{"Idempotency-Key": {b.Key}}); err != nil {
		return err
	}
	http.Redirect(v.w, v.r, "/ui/operations/"+a.Operation.ID, http.StatusSeeOther)
	return nil
}
