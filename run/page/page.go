package page

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"kumiki.dev/run/access"
	"kumiki.dev/run/api"
	"kumiki.dev/run/record"
)

//go:embed templates static
var files embed.FS

// Page answers what a browser asks, below /ui/.
type Page struct {
	// API is the manager's interface, and Key seals sessions ([Key]).
	API http.Handler
	Key []byte
	Log *slog.Logger
	// Issuer signs people in beside tokens; nil for none.
	Issuer *access.Issuer

	templates map[string]*template.Template
}

// policy lets a browser run and show what comes from here and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// Handler answers all below /ui/, and sends / there.
func (p *Page) Handler() (http.Handler, error) {
	if err := p.parse(); err != nil {
		return nil, err
	}
	static, err := fs.Sub(files, "static")
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /{$}", http.RedirectHandler("/ui/", http.StatusSeeOther))
	mux.Handle("GET /ui/static/", http.StripPrefix("/ui/static/", http.FileServerFS(static)))
	mux.HandleFunc("GET /ui/sign-in", p.askToken)
	mux.HandleFunc("POST /ui/sign-in", p.takeToken)
	if p.Issuer != nil {
		mux.HandleFunc("GET "+begunPath+"issuer", p.goToIssuer)
		mux.HandleFunc("GET "+backPath, p.backFromIssuer)
	}
	mux.HandleFunc("POST /ui/sign-out", p.signOut)
	mux.HandleFunc("GET /ui/watch/{collection}", p.watch)
	for pattern, show := range p.pages() {
		mux.Handle(pattern, p.signedIn(show))
	}
	safe := http.NewCrossOriginProtection()
	safe.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "this form was sent by another site, and nothing was done", http.StatusForbidden)
	}))
	return headers(safe.Handler(mux)), nil
}

func (p *Page) pages() map[string]func(*visit) error {
	return map[string]func(*visit) error{
		"GET /ui/{$}":                                    showDeployments,
		"GET /ui/new":                                    showNew,
		"POST /ui/change":                                change,
		"GET /ui/deployments/{name}":                     showDeployment,
		"GET /ui/deployments/{name}/graph.svg":           showGraph,
		"GET /ui/deployments/{name}/history":             showHistory,
		"GET /ui/deployments/{name}/logs":                showLogs,
		"GET /ui/deployments/{name}/delete":              showDelete,
		"GET /ui/operations":                             showOperations,
		"GET /ui/operations/{id}":                        showOperation,
		"POST /ui/operations/{id}/cancel":                cancel,
		"GET /ui/templates":                              showTemplates,
		"POST /ui/placements":                            beginPlacement,
		"GET /ui/placements/{id}":                        showPlacement,
		"POST /ui/placements/{id}/{what}":                movePlacement,
		"GET /ui/environments":                           showEnvironments,
		"GET /ui/nodes":                                  showNodes,
		"GET /ui/nodes/{environment}/{node}/{what}":      showMove,
		"POST /ui/nodes/{environment}/{node}/{what}":     move,
		"GET /ui/audit":                                  showAudit,
		"GET /ui/":                                       showNothing,
		"POST /ui/deployments/{name}/maintenance/{what}": maintain,
	}
}

func headers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		if !strings.HasPrefix(r.URL.Path, "/ui/static/") {
			h.Set("Cache-Control", "no-store")
		}
		next.ServeHTTP(w, r)
	})
}

// visit is one request of somebody who is signed in.
type visit struct {
	asker
	page *Page
	w    http.ResponseWriter
	r    *http.Request
	me   api.Me
}

// signedIn lets in who has a session whose token is known, and asks others for one.
func (p *Page) signedIn(show func(*visit) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := &visit{asker: asker{r.Context(), p.API, p.token(r)}, page: p, w: w, r: r}
		err := v.get("/v1/me", &v.me)
		var f *api.Fault
		if errors.As(err, &f) && f.Status == http.StatusUnauthorized {
			to := "/ui/sign-in"
			if r.Method == http.MethodGet {
				to += "?to=" + url.QueryEscape(r.URL.RequestURI())
			}
			http.Redirect(w, r, to, http.StatusSeeOther)
			return
		}
		if err == nil {
			err = show(v)
		}
		if err != nil {
			v.fail(err)
		}
	})
}

// frame is what every page has.
type frame struct {
	Title string
	// At is the part that it belongs to, Watch the collection whose changes it shows.
	At, Watch string
	// Poll tells that it shows what no watch tells.
	Poll bool
	Me   api.Me
	Body any
}

// May reports whether who looks has a role.
func (f frame) May(role string) bool { return f.Me.Role.Includes(access.Role(role)) }

func (v *visit) show(status int, name string, f frame) error {
	f.Me = v.me
	return v.page.render(v.w, status, name, f)
}

func (p *Page) render(w http.ResponseWriter, status int, name string, f frame) error {
	var out bytes.Buffer
	if err := p.templates[name].ExecuteTemplate(&out, "frame", f); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(out.Bytes())
	return nil
}

// fail shows what is wrong.
func (v *visit) fail(err error) {
	f := faultOf(err)
	if f.Status >= http.StatusInternalServerError {
		v.page.Log.Warn("page", "path", v.r.URL.Path, "error", err)
	}
	if err := v.show(f.Status, "fault", frame{Title: titles[f.Status], Body: f}); err != nil {
		http.Error(v.w, f.Detail, f.Status)
	}
}

// titles are what a page says first of what is wrong.
var titles = map[int]string{
	http.StatusForbidden: "You may not do that", http.StatusNotFound: "There is nothing here", http.StatusConflict: "That does not go together",
	http.StatusPreconditionFailed: "Somebody else was first", http.StatusUnprocessableEntity: "That cannot be done as it is",
	http.StatusTooManyRequests: "That was too often", http.StatusBadGateway: "The environment does not answer", http.StatusInsufficientStorage: "The store is full",
}

func faultOf(err error) *api.Fault {
	var f *api.Fault
	if errors.As(err, &f) {
		return f
	}
	return &api.Fault{Status: http.StatusInternalServerError, Detail: err.Error(), Code: "manager/internal"}
}

func showNothing(v *visit) error {
	return &api.Fault{Status: http.StatusNotFound, Code: "manager/not-found", Detail: "no page is at " + v.r.URL.Path}
}

// signInForm is what the form of a token shows.
type signInForm struct{ To, Wrong, Issuer string }

func (p *Page) askToken(w http.ResponseWriter, r *http.Request) {
	p.showSignIn(w, http.StatusOK, signInForm{To: r.URL.Query().Get("to")})
}

func (p *Page) showSignIn(w http.ResponseWriter, status int, form signInForm) {
	form.Issuer = p.issuerName()
	if err := p.render(w, status, "sign-in", frame{Title: "Sign in", Body: form}); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

func (p *Page) takeToken(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	token, to := strings.TrimSpace(r.PostFormValue("token")), r.PostFormValue("to")
	err := asker{r.Context(), p.API, token}.get("/v1/me", nil)
	if err == nil {
		err = p.signIn(w, r, token)
	}
	if err != nil {
		f, wrong := faultOf(err), "This token is not known. It may have a letter too few, or have been taken back."
		if f.Status != http.StatusUnauthorized {
			wrong = f.Detail
		}
		p.showSignIn(w, f.Status, signInForm{To: to, Wrong: wrong})
		return
	}
	http.Redirect(w, r, within(to), http.StatusSeeOther)
}

func (p *Page) signOut(w http.ResponseWriter, r *http.Request) {
	p.setCookie(w, r, cookieName, cookiePath, "", -1)
	http.Redirect(w, r, "/ui/sign-in", http.StatusSeeOther)
}

// watch tells a browser of changes as the interface does.
func (p *Page) watch(w http.ResponseWriter, r *http.Request) {
	header := http.Header{}
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		header.Set("Last-Event-ID", last)
	}
	a := asker{r.Context(), p.API, p.token(r)}
	request, err := a.request(http.MethodGet, "/v1/watch/"+url.PathEscape(r.PathValue("collection")), nil, header)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	p.API.ServeHTTP(w, request)
}

func (p *Page) parse() error {
	names, err := fs.Glob(files, "templates/*.html")
	if err != nil {
		return err
	}
	p.templates = map[string]*template.Template{}
	for _, file := range names {
		name := strings.TrimSuffix(strings.TrimPrefix(file, "templates/"), ".html")
		t, err := template.New(name).Funcs(functions).ParseFS(files, "templates/frame.html", file)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		p.templates[name] = t
	}
	return nil
}

var functions = template.FuncMap{
	"time":   func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05Z") },
	"iso":    func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	"labels": func(m map[string]string) []string { return sorted(m) },
	"short": func(digest string) string {
		digest = strings.TrimPrefix(digest, "sha256:")
		return digest[:min(12, len(digest))]
	},
	"path":  url.PathEscape,
	"place": place,
	"about": aboutOf,
}

// place is a position in the bundle, or what else was given.
func place(file string, line, column int) string {
	if strings.HasPrefix(file, "--set ") {
		return strings.TrimPrefix(file, "--set ") // it has one line
	}
	return record.Problem{File: strings.TrimPrefix(file, "input.bundle:"), Line: line, Column: column}.Position()
}
