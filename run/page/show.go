package page

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"kumiki.dev/graph"
	"kumiki.dev/internal/secretlike"
	"kumiki.dev/plan"
	"kumiki.dev/run/access"
	"kumiki.dev/run/api"
	"kumiki.dev/run/record"
	"kumiki.dev/solution"
)

// How many there are on a page of a list, how many operations of a deployment are shown, and how
// long an environment has to say how it is.
const (
	perPage      = 50
	lastOnes     = 10
	environsTime = 8 * time.Second
)

func sorted(labels map[string]string) []string {
	var out []string
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		out = append(out, key+"="+labels[key])
	}
	return out
}

// state is how a deployment is, in a word, with the reason.
type state struct{ Word, Kind, Why string }

// stateOf is what the records say of a deployment.
func stateOf(d api.Deployment) state {
	for _, c := range d.Status.Conditions {
		if c.Status == "False" && c.Manifest == d.Last {
			return state{map[string]string{"Compiled": "does not compile", "Applied": "not applied", "Healthy": "failing"}[c.Type], "bad", c.Message}
		}
	}
	switch {
	case d.Deleting:
		return state{"being removed", "busy", ""}
	case d.Status.Applied != d.Manifest:
		return state{"being changed", "busy", ""}
	case d.Maintenance:
		return state{"in maintenance", "held", ""}
	}
	return state{"applied", "good", ""}
}

type deploymentRow struct {
	api.Deployment
	State state
}

type deploymentsBody struct {
	Rows                            []deploymentRow
	Environments                    []record.Environment
	Environment, Selector, Continue string
	More                            string
	First                           string
}

func showDeployments(v *visit) error {
	q := v.r.URL.Query()
	b := deploymentsBody{Environment: q.Get("environment"), Selector: q.Get("labelSelector"), Continue: q.Get("continue")}
	ask := url.Values{"limit": {strconv.Itoa(perPage)}}
	for _, name := range []string{"environment", "labelSelector", "continue"} {
		if q.Get(name) != "" {
			ask.Set(name, q.Get(name))
		}
	}
	var found api.Page[api.Deployment]
	if err := v.get("/v1/deployments?"+ask.Encode(), &found); err != nil {
		return err
	}
	for _, d := range found.Items {
		b.Rows = append(b.Rows, deploymentRow{d, stateOf(d)})
	}
	ask.Del("limit")
	ask.Del("continue")
	b.First = "/ui/?" + ask.Encode()
	if found.Continue != "" {
		ask.Set("continue", found.Continue)
		b.More = "/ui/?" + ask.Encode()
	}
	var err error
	b.Environments, err = v.environments()
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, "deployments", frame{Title: "Deployments", At: "deployments", Watch: "deployments", Body: b})
}

func (v *visit) environments() ([]record.Environment, error) {
	var found api.Page[record.Environment]
	err := v.get("/v1/environments?limit=1000", &found)
	return found.Items, err
}

func (v *visit) deployment() (api.Deployment, error) {
	var d api.Deployment
	err := v.get("/v1/deployments/"+url.PathEscape(v.r.PathValue("name")), &d)
	return d, err
}

// solution is that of a manifest, nil for one that is not compiled.
func (v *visit) solution(name string, number int) (*solution.Solution, error) {
	if number == 0 {
		return nil, nil
	}
	var data []byte
	err := v.get(fmt.Sprintf("/v1/deployments/%s/manifests/%d/solution", url.PathEscape(name), number), &data)
	var f *api.Fault
	if errors.As(err, &f) && f.Status == http.StatusNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	sol, problems := solution.Read(data, fmt.Sprintf("manifest %d", number))
	if problems.HasErrors() {
		return nil, errors.New(problems[0].Message)
	}
	return sol, nil
}

// operations are the last ones of a deployment, or of all that are seen; the last first.
func (v *visit) operations(of string, most int) ([]record.Operation, error) {
	ask := url.Values{}
	if of != "" {
		ask.Set("deployment", of)
	}
	return last[record.Operation](v, "/v1/operations", ask, most)
}

// last are the last ones of a list, the last first; all of them if most is 0.
func last[T any](v *visit, path string, ask url.Values, most int) (all []T, err error) {
	ask.Set("order", "desc")
	for {
		ask.Set("limit", "1000")
		if most > 0 {
			ask.Set("limit", strconv.Itoa(most-len(all)))
		}
		var found api.Page[T]
		if err := v.get(path+"?"+ask.Encode(), &found); err != nil {
			return nil, err
		}
		all = append(all, found.Items...)
		if found.Continue == "" || len(all) == most {
			return all, nil
		}
		ask.Set("continue", found.Continue)
	}
}

// scalable is a role whose number of instances may be set.
type scalable struct {
	Role string
	Now  int
}

type deploymentBody struct {
	api.Deployment
	State      state
	Observed   api.Observed
	Unreached  string
	Operations []record.Operation
	Manifest   record.Manifest
	Links      []graph.Edge
	Scale      []scalable
	Revision   int64
	Drawn      bool
}

func showDeployment(v *visit) error {
	d, err := v.deployment()
	if err != nil {
		return err
	}
	b := deploymentBody{Deployment: d, State: stateOf(d), Revision: d.Revision}
	short, cancel := context.WithTimeout(v.ctx, environsTime)
	defer cancel()
	err = asker{short, v.api, v.token}.get("/v1/deployments/"+d.Name+"/status", &b.Observed)
	if err != nil {
		b.Unreached = faultOf(err).Detail
	}
	b.State = b.observed()
	if b.Operations, err = v.operations(d.Name, lastOnes); err != nil {
		return err
	}
	if err := v.get(fmt.Sprintf("/v1/deployments/%s/manifests/%d", d.Name, d.Manifest), &b.Manifest); err != nil && faultOf(err).Status != http.StatusNotFound {
		return err
	}
	sol, err := v.solution(d.Name, d.Manifest)
	if err != nil {
		return err
	}
	if sol != nil {
		b.drawn(graph.Of(sol))
	}
	return v.show(http.StatusOK, "deployment", frame{Title: d.Name, At: "deployments", Watch: "operations", Poll: true, Body: b})
}

// observed is how the deployment is, with what its environment says.
func (b deploymentBody) observed() state {
	if b.State.Kind != "good" {
		return b.State
	}
	for _, r := range b.Observed.Roles {
		if r.Health == "failed" || r.Health == "missing" {
			return state{"failing", "bad", strings.TrimSuffix(r.Place+" is "+r.Health+": "+r.Why, ": ")}
		}
	}
	for _, r := range b.Observed.Roles {
		if r.Health != "healthy" {
			return state{"progressing", "busy", ""}
		}
	}
	if len(b.Observed.Roles) > 0 {
		return state{"healthy", "good", ""}
	}
	return b.State
}

func (b *deploymentBody) drawn(g *graph.Graph) {
	b.Drawn, b.Links = true, g.Edges
	if len(g.Boxes) == 0 {
		return
	}
	for _, box := range g.Boxes {
		if box.Kind != "service" || box.ID != g.Name {
			continue // those of others below are set by their paths
		}
		for _, n := range box.Nodes {
			if n.Kind == "role" && n.Instances != nil {
				b.Scale = append(b.Scale, scalable{n.Name, *n.Instances})
			}
		}
	}
}

// showGraph draws what is wanted, and while that is not applied marks what is to change.
func showGraph(v *visit) error {
	d, err := v.deployment()
	if err != nil {
		return err
	}
	now, err := v.solution(d.Name, d.Manifest)
	if err != nil {
		return err
	}
	if now == nil {
		return &api.Fault{Status: http.StatusNotFound, Code: "manager/not-found", Detail: "nothing of it is compiled"}
	}
	g := graph.Of(now)
	if d.Status.Applied != 0 && d.Status.Applied != d.Manifest {
		old, err := v.solution(d.Name, d.Status.Applied)
		if err != nil {
			return err
		}
		if old != nil {
			g = graph.Compare(old, now)
		}
	}
	data, err := g.SVG()
	if err != nil {
		return err
	}
	h := v.w.Header()
	h.Set("Content-Type", "image/svg+xml")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
	_, _ = v.w.Write(data)
	return nil
}

type historyBody struct {
	Name      string
	Manifests []record.Manifest
	Wanted    int
	Revision  int64
	Gone      bool
	From, To  int
	Compared  bool
	Changes   string
	Sets      []string // of the two that are compared
}

func showHistory(v *visit) error {
	b := historyBody{Name: v.r.PathValue("name")}
	d, err := v.deployment()
	switch {
	case err == nil:
		b.Wanted, b.Revision = d.Manifest, d.Revision
	case faultOf(err).Status == http.StatusNotFound:
		b.Gone = true
	default:
		return err
	}
	manifests, wrong := last[record.Manifest](v, "/v1/deployments/"+url.PathEscape(b.Name)+"/manifests", url.Values{}, 0)
	if wrong != nil {
		return wrong
	}
	if b.Manifests = manifests; b.Gone && len(b.Manifests) == 0 {
		return err
	}
	if err := v.compare(&b); err != nil {
		return err
	}
	return v.show(http.StatusOK, "history", frame{Title: b.Name + ": history", At: "deployments", Watch: "operations", Body: b})
}

// compare says what is different between two manifests.
func (v *visit) compare(b *historyBody) error {
	q := v.r.URL.Query()
	b.From, _ = strconv.Atoi(q.Get("from"))
	b.To, _ = strconv.Atoi(q.Get("to"))
	if b.Compared = b.From > 0 && b.To > 0; !b.Compared {
		if len(b.Manifests) > 1 {
			b.From = b.Manifests[1].Number
		}
		b.To = b.Manifests[0].Number
		return nil
	}
	old, err := v.solution(b.Name, b.From)
	if err != nil {
		return err
	}
	now, err := v.solution(b.Name, b.To)
	if err != nil {
		return err
	}
	if old == nil && now == nil {
		b.Changes = "neither is compiled"
		return nil
	}
	p := plan.Compare(old, now)
	var hidden secretlike.Set
	p.Hide(func(path, text string) string { return hidden.HideAt(secretlike.Dotted(path), text) })
	b.Changes = p.Text(true)
	return nil
}

func showOperations(v *visit) error {
	all, err := v.operations("", 100)
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, "operations", frame{Title: "Operations", At: "operations", Watch: "operations", Body: all})
}

type operationBody struct {
	record.Operation
	Phases []phase
}

// phase is one that an operation goes through.
type phase struct {
	Name record.Phase
	// Is is done, now, failed or "" for one that is to come.
	Is string
}

func phasesOf(o record.Operation) (out []phase) {
	names := []record.Phase{record.Waiting, record.Compiling, record.Trying, record.Applying, record.Ended}
	switch {
	case o.Move != nil:
		names = []record.Phase{record.Waiting, record.Trying, record.Applying, record.Ended}
	case o.Verb == record.Delete:
		names = []record.Phase{record.Waiting, record.Removing, record.Ended}
	}
	at := slices.Index(names, o.Phase)
	for i, name := range names {
		is := ""
		switch {
		case o.Done && o.Error != nil && name == record.Ended:
			is = "failed"
		case o.Done || i < at:
			is = "done"
		case i == at:
			is = "now"
		}
		out = append(out, phase{name, is})
	}
	return out
}

func showOperation(v *visit) error {
	var o record.Operation
	if err := v.get("/v1/operations/"+url.PathEscape(v.r.PathValue("id")), &o); err != nil {
		return err
	}
	return v.show(http.StatusOK, "operation", frame{Title: string(o.Verb) + " " + aboutOf(o), At: "operations", Watch: "operations", Body: operationBody{o, phasesOf(o)}})
}

func showEnvironments(v *visit) error {
	all, err := v.environments()
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, "environments", frame{Title: "Environments", At: "environments", Body: all})
}

func showAudit(v *visit) error {
	all, err := last[api.Audited](v, "/v1/audit", url.Values{}, 200)
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, "audit", frame{Title: "Audit", At: "audit", Body: all})
}

// needs refuses a form to those who could not send it.
func (v *visit) needs(role access.Role) error {
	if v.me.Role.Includes(role) {
		return nil
	}
	return &api.Fault{Status: http.StatusForbidden, Code: "manager/forbidden", Detail: fmt.Sprintf("%s is a %s, and this takes a %s", v.me.Name, v.me.Role, role)}
}
