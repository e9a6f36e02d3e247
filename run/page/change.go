package page

import (
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"kumiki.dev/run/access"
	"kumiki.dev/run/api"
	"kumiki.dev/run/operate"
	"kumiki.dev/run/record"
)

// maxForm bounds a form that is sent, with the bundle that is in it.
const maxForm = 65 << 20

type newBody struct {
	Environments []record.Environment
	Wrong        *api.Fault
	Form         url.Values
}

func showNew(v *visit) error {
	if err := v.needs(access.Deployer); err != nil {
		return err
	}
	all, err := v.environments()
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, "new", frame{Title: "New deployment", At: "deployments", Body: newBody{Environments: all, Form: url.Values{}}})
}

// proposal is a change that somebody asks for by a form.
type proposal struct {
	Verb, Name   string
	method, path string
	header       http.Header
	body         any
	query        url.Values
}

// field is one of a form that is sent again with the plan.
type field struct{ Name, Value string }

type planBody struct {
	Verb, Name string
	Fields     []field
	Plan       *operate.Preview
	Allow      record.Allow
	Wrong      *api.Fault
	// Refused tells that it would not be carried out as it is.
	Refused bool
}

// change shows the plan of a change, or with step=apply carries it out.
func change(v *visit) error {
	v.r.Body = http.MaxBytesReader(v.w, v.r.Body, maxForm)
	if err := v.r.ParseMultipartForm(8 << 20); err != nil && err != http.ErrNotMultipart {
		return &api.Fault{Status: http.StatusRequestEntityTooLarge, Code: "manager/request", Detail: "the form cannot be read: " + err.Error()}
	}
	if v.r.MultipartForm != nil {
		defer func() { _ = v.r.MultipartForm.RemoveAll() }()
	}
	form := v.r.PostForm
	if err := v.takeBundle(form); err != nil {
		return v.wrongForm(form, err)
	}
	p, err := proposed(form)
	if err != nil {
		return v.wrongForm(form, err)
	}
	if form.Get("step") == "apply" {
		return v.apply(p, form)
	}
	return v.plan(p, form)
}

// takeBundle uploads the bundle of a form, which has its digest afterwards.
func (v *visit) takeBundle(form url.Values) error {
	file, _, err := v.r.FormFile("file")
	if err != nil {
		return nil // checked with what the form is for
	}
	defer file.Close()
	data, err := io.ReadAll(file)
	if err != nil {
		return err
	}
	var c api.Content
	err = v.ask(http.MethodPost, "/v1/bundles", data, &c, nil)
	form.Set("bundle", c.Digest)
	return err
}

// wrongForm shows what is wrong with a form: that of a new deployment with what was written.
func (v *visit) wrongForm(form url.Values, err error) error {
	f := faultOf(err)
	if form.Get("verb") != string(record.Create) || f.Status == http.StatusForbidden {
		return err
	}
	all, err := v.environments()
	if err != nil {
		return err
	}
	return v.show(f.Status, "new", frame{Title: "New deployment", At: "deployments", Body: newBody{all, f, form}})
}

func (v *visit) plan(p *proposal, form url.Values) error {
	if form.Get("key") == "" {
		form.Set("key", rand.Text())
	}
	b := planBody{Verb: p.Verb, Name: p.Name, Allow: allowed(form)}
	for _, name := range []string{"verb", "name", "environment", "labels", "bundle", "set", "role", "hsize", "path", "manifest", "revision", "key"} {
		for _, value := range form[name] {
			b.Fields = append(b.Fields, field{name, value})
		}
	}
	var a api.Answer
	p.query.Set("dryRun", "true")
	status := http.StatusOK
	if err := v.ask(p.method, p.path+"?"+p.query.Encode(), p.body, &a, p.header); err != nil {
		b.Wrong = faultOf(err)
		if status = b.Wrong.Status; status != http.StatusUnprocessableEntity {
			return v.wrongForm(form, err)
		}
		if p.Verb == string(record.Create) {
			return v.wrongForm(form, err)
		}
	}
	b.Plan = a.Plan
	b.Refused = b.Plan == nil || len(b.Plan.Problems)+len(b.Plan.Refused) > 0
	return v.show(status, "plan", frame{Title: "Plan: " + p.Verb + " " + p.Name, At: "deployments", Body: b})
}

func (v *visit) apply(p *proposal, form url.Values) error {
	if key := form.Get("key"); key != "" {
		p.header.Set("Idempotency-Key", key)
	}
	path := p.path
	if len(p.query) > 0 {
		path += "?" + p.query.Encode()
	}
	var a api.Answer
	if err := v.ask(p.method, path, p.body, &a, p.header); err != nil {
		return err
	}
	http.Redirect(v.w, v.r, "/ui/operations/"+a.Operation.ID, http.StatusSeeOther)
	return nil
}

func wrong(format string, args ...any) error {
	return &api.Fault{Status: http.StatusUnprocessableEntity, Code: "manager/request", Detail: fmt.Sprintf(format, args...)}
}

// proposed is what a form asks for, as a request of the interface.
func proposed(form url.Values) (*proposal, error) {
	name := strings.TrimSpace(form.Get("name"))
	p := &proposal{Verb: form.Get("verb"), Name: name, path: "/v1/deployments/" + url.PathEscape(name), header: http.Header{}, query: url.Values{}}
	if revision := form.Get("revision"); revision != "" {
		p.header.Set("If-Match", strconv.Quote(revision))
	}
	allow := allowed(form)
	switch record.Verb(p.Verb) {
	case record.Create:
		labels, err := labelsOf(form.Get("labels"))
		if err != nil {
			return nil, err
		}
		if form.Get("bundle") == "" {
			return nil, wrong("choose a bundle: kumiki bundle DIR --out FILE writes one")
		}
		p.method, p.path = http.MethodPost, "/v1/deployments"
		p.body = api.DeploymentInput{Name: name, Environment: form.Get("environment"), Labels: labels, Input: api.Source{Bundle: form.Get("bundle")}, Allow: allow}
	case record.Update:
		return p, p.update(form, allow)
	case record.Rollback:
		number, err := strconv.Atoi(form.Get("manifest"))
		if err != nil {
			return nil, wrong("%q is no number of a manifest", form.Get("manifest"))
		}
		p.method, p.path = http.MethodPost, p.path+"/rollback"
		p.body = map[string]any{"manifest": number, "allow": allow}
	case record.Delete:
		p.method = http.MethodDelete
		for name, paths := range map[string][]string{"allowData": allow.Data, "allowGone": allow.Gone, "allowOrphans": allow.Orphans} {
			if len(paths) > 0 {
				p.query.Set(name, strings.Join(paths, ","))
			}
		}
	case record.Stop, record.Start, record.Restart:
		p.method, p.path, p.body = http.MethodPost, p.path+"/"+p.Verb, map[string]string{"path": form.Get("path")}
	default:
		return nil, wrong("%q is nothing that can be done with a deployment", p.Verb)
	}
	return p, nil
}

// update gives another bundle, or changes a value or how many instances there are.
func (p *proposal) update(form url.Values, allow record.Allow) error {
	if bundle := form.Get("bundle"); bundle != "" {
		p.method, p.body = http.MethodPut, map[string]any{"input": api.Source{Bundle: bundle}, "allow": allow}
		return nil
	}
	p.method = http.MethodPatch
	body := map[string]any{"allow": allow}
	switch {
	case form.Has("hsize"):
		n, err := strconv.Atoi(form.Get("hsize"))
		if err != nil || n < 0 {
			return wrong("%q is no number of instances", form.Get("hsize"))
		}
		body["scale"] = map[string]int{form.Get("role"): n}
	case strings.TrimSpace(form.Get("set")) != "":
		body["set"] = []string{strings.TrimSpace(form.Get("set"))}
	default:
		return wrong("say what is to change: a value as PATH=VALUE, how many instances, or another bundle")
	}
	p.body = body
	return nil
}

// labelsOf reads KEY=VALUE, with commas or spaces between.
func labelsOf(text string) (map[string]string, error) {
	out := map[string]string{}
	for _, one := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		key, value, ok := strings.Cut(one, "=")
		if !ok {
			return nil, wrong("the label %q is not KEY=VALUE", one)
		}
		out[key] = value
	}
	return out, nil
}

// allowed are the dangers that a form allows.
func allowed(form url.Values) record.Allow {
	paths := func(name string) (out []string) {
		for _, text := range form[name] {
			out = append(out, strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })...)
		}
		return out
	}
	return record.Allow{Data: paths("data"), Gone: paths("gone"), Orphans: paths("orphans"), Adopt: form.Get("adopt") != ""}
}

type deleteBody struct {
	api.Deployment
	Observed  api.Observed
	Unreached string
	// Goes is what would be removed, Stays what data would not.
	Goes, Stays []record.Step
	Key         string
}

func showDelete(v *visit) error {
	if err := v.needs(access.Deployer); err != nil {
		return err
	}
	d, err := v.deployment()
	if err != nil {
		return err
	}
	b := deleteBody{Deployment: d, Key: rand.Text()}
	if err := v.get("/v1/deployments/"+d.Name+"/status", &b.Observed); err != nil {
		b.Unreached = faultOf(err).Detail
	}
	var a api.Answer
	if err := v.ask(http.MethodDelete, "/v1/deployments/"+d.Name+"?dryRun=true", nil, &a, http.Header{"If-Match": {"*"}}); err != nil {
		b.Unreached = faultOf(err).Detail
	} else {
		for _, s := range a.Plan.Steps {
			if s.Action == "keep" {
				b.Stays = append(b.Stays, s)
				continue
			}
			b.Goes = append(b.Goes, s)
		}
	}
	return v.show(http.StatusOK, "delete", frame{Title: "Delete " + d.Name, At: "deployments", Body: b})
}

func cancel(v *visit) error {
	id := v.r.PathValue("id")
	if err := v.ask(http.MethodPost, "/v1/operations/"+url.PathEscape(id)+"/cancel", nil, nil, nil); err != nil {
		return err
	}
	http.Redirect(v.w, v.r, "/ui/operations/"+url.PathEscape(id), http.StatusSeeOther)
	return nil
}

// maintain begins or ends the maintenance of a deployment.
func maintain(v *visit) error {
	v.r.Body = http.MaxBytesReader(v.w, v.r.Body, 1<<16)
	name, what := v.r.PathValue("name"), v.r.PathValue("what")
	if what != "begin" && what != "end" {
		return wrong("maintenance is begun or ended, not %q", what)
	}
	header := http.Header{"If-Match": {strconv.Quote(v.r.PostFormValue("revision"))}}
	if err := v.ask(http.MethodPut, "/v1/deployments/"+url.PathEscape(name)+"/maintenance", map[string]bool{"maintenance": what == "begin"}, nil, header); err != nil {
		return err
	}
	http.Redirect(v.w, v.r, "/ui/deployments/"+url.PathEscape(name), http.StatusSeeOther)
	return nil
}
