package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// browser is a real one, and what it complains of.
type browser struct {
	t   *testing.T
	ctx context.Context
	url string

	mu         sync.Mutex
	complaints []string
}

func newBrowser(t *testing.T, at string) *browser {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.IgnoreCertErrors, chromedp.WindowSize(1280, 900), chromedp.UserDataDir(t.TempDir()))
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &browser{t: t, ctx: ctx, url: at}
	b.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		entries, thrown := cdp.Events(b.ctx, t, log.EntryAdded), cdp.Events(b.ctx, t, runtime.ExceptionThrown)
		go func() {
			for e, err := range entries { // what the policy of contents forbids is among these
				late := err == nil && strings.Contains(e.Entry.Text, "Autofocus processing was blocked") // something has the focus already
				if err == nil && !late && !strings.Contains(e.Entry.Text, "the server responded with a status of") {
					b.complains(e.Entry.Text)
				}
			}
		}()
		go func() {
			for e, err := range thrown {
				if err == nil {
					b.complains(e.ExceptionDetails.Text)
				}
			}
		}()
		_, err := cdp.Call(ctx, t, log.Enable, cdp.Empty{})
		return err
	}))
	return b
}

func (b *browser) complains(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.complaints = append(b.complaints, text)
}

// do does things one after the other, each in time.
func (b *browser) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	for _, a := range actions {
		done := make(chan error, 1)
		go func() { done <- b.again(a) }()
		select {
		case err := <-done:
			require.NoError(b.t, err)
		case <-time.After(30 * time.Second):
			b.t.Fatalf("the browser waits for something at %s", b.text("location.href+'\\n'+document.body.innerText"))
		}
	}
}

// again does something, and once more where the page put another element in the place of the one
// that was found, before anything was done with it: so does a person.
func (b *browser) again(a chromedp.Action[chromedp.Void]) error {
	err := chromedp.Do(b.ctx, a)
	for range 3 {
		if err == nil || !strings.Contains(err.Error(), "Could not find node with given id") {
			break
		}
		err = chromedp.Do(b.ctx, a)
	}
	return err
}

func (b *browser) open(path string) {
	b.t.Helper()
	b.do(chromedp.Navigate(b.url + path))
}

// text is what an expression comes to.
func (b *browser) text(expression string) string {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 10*time.Second)
	defer cancel()
	out, err := chromedp.Run(ctx, chromedp.Evaluate[string]("String("+expression+")"))
	require.NoError(b.t, err)
	return out
}

// sees waits until the page has a text, without loading it again.
func (b *browser) sees(part string) {
	b.t.Helper()
	b.becomes("document.body ? document.body.innerText : ''", part)
}

// becomes waits until an expression's text has a part, through pages that come and go.
func (b *browser) becomes(expression, part string) {
	b.t.Helper()
	text := ""
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(b.ctx, 10*time.Second)
		now, err := chromedp.Run(ctx, chromedp.Evaluate[string](expression))
		cancel()
		text = now
		if err == nil && strings.Contains(text, part) {
			return
		}
	}
	b.t.Fatalf("the page does not say %q: %s", part, text)
}

func (b *browser) lacks(selectors ...string) {
	b.t.Helper()
	for _, s := range selectors {
		require.Equal(b.t, "0", b.text(fmt.Sprintf("document.querySelectorAll(%q).length", s)), s)
	}
}

// tab goes on by the keyboard until a selector has the focus.
func (b *browser) tab(selector string) {
	b.t.Helper()
	for range 60 {
		if b.text(fmt.Sprintf("document.activeElement.matches(%q)", selector)) == "true" {
			return
		}
		b.do(chromedp.KeyEvent(kb.Tab))
	}
	b.t.Fatalf("the keyboard does not come to %s", selector)
}

// signIn sends a token and waits for the page that answers: opening another one before that would
// stop the request.
func (b *browser) signIn(token string) {
	b.t.Helper()
	b.sees("Sign in")
	b.text("window.asked = true")
	b.do(chromedp.SendKeys(chromedp.CSS("#token"), token+kb.Enter))
	b.becomes("window.asked ? '' : document.readyState", "complete")
}

// fits looks at a page in both widths and both schemes: nothing is wider than the screen, and
// dark is dark. KUMIKI_SHOTS is a directory for pictures.
func (b *browser) fits(name string) {
	b.t.Helper()
	b.becomes("document.readyState", "complete") // its style sheet is loaded, too
	for _, scheme := range []string{"light", "dark"} {
		b.scheme(scheme)
		for _, width := range []int64{1280, 400} {
			b.do(chromedp.EmulateViewport(width, 900))
			require.Equal(b.t, "true", b.text("document.documentElement.scrollWidth <= innerWidth"), "%s is wider than %d", name, width)
			if dir := os.Getenv("KUMIKI_SHOTS"); dir != "" {
				picture, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
				require.NoError(b.t, err)
				require.NoError(b.t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%d-%s.png", name, width, scheme)), picture, 0o600))
			}
		}
		dark := b.text("getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0] < 64")
		require.Equal(b.t, fmt.Sprint(scheme == "dark"), dark)
	}
	b.scheme("light")
	b.do(chromedp.EmulateViewport(1280, 900))
}

func (b *browser) scheme(name string) {
	b.t.Helper()
	b.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}}})
		return err
	}))
}

// bundleFile is a file with the bundle of the module hello, whose image may be another one.
func bundleFile(t *testing.T, image string) string {
	t.Helper()
	module := filepath.Join(t.TempDir(), "hello")
	require.NoError(t, os.CopyFS(module, os.DirFS("../../../examples/hello")))
	if image != "" {
		file := filepath.Join(module, "hello.cue")
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file, regexp.MustCompile(`tag: ".*"`).ReplaceAll(text, []byte(`tag: "`+image+`"`)), 0o600))
	}
	out := filepath.Join(t.TempDir(), "hello.bundle")
	require.NoError(t, os.WriteFile(out, bundle(t, filepath.Join(module, "deploy")), 0o600))
	return out
}

// TestPage does in a browser what somebody does who has nothing else: signs in, makes a
// deployment by the keyboard, breaks it, sees why, takes it back, and removes it.
func TestPage(t *testing.T) {
	t.Parallel()
	d := newDaemon(t)
	b := newBrowser(t, d.url)
	b.open("/")
	b.fits("sign-in")
	b.signIn("kumiki_nobody")
	b.sees("This token is not known")
	b.signIn(d.token)
	b.sees("There is no deployment yet")
	b.fits("empty")
	b.makes(bundleFile(t, ""))
	b.refused()
	b.breaks(bundleFile(t, "example.com/broken:1"))
	b.goesBack()
	b.reads()
	b.drains()
	b.shows(d)
	b.viewer(d)
	b.deletes(d)
	b.mu.Lock()
	defer b.mu.Unlock()
	require.Empty(t, b.complaints)
}

// makes a deployment by the keyboard alone.
func (b *browser) makes(file string) {
	b.tab(`a[href="/ui/new"]`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.sees("New deployment")
	b.fits("new")
	b.do(chromedp.WaitReady(chromedp.CSS("#file")), chromedp.SetUploadFiles(chromedp.CSS("#file"), []string{file}))
	b.tab("#name")
	b.do(chromedp.KeyEvent("hello"))
	b.tab("#labels")
	b.do(chromedp.KeyEvent("stage=test" + kb.Enter))
	b.sees("Nothing is changed yet")
	b.fits("plan")
	b.tab(`button[value="apply"]`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.sees("create hello")
	b.sees("done")
	b.sees("Deployment/hello-hello")
	b.fits("operation")
	b.open("/ui/")
	b.sees("stage=test")
	b.sees("applied")
	b.fits("deployments")
	b.open("/ui/deployments/hello")
	b.sees("healthy")
	b.do(chromedp.Poll[chromedp.Void]("document.querySelector('#drawing img').naturalWidth > 100"))
	b.fits("deployment")
}

// refused: what does not compile, and what looks like a secret, is said with its place.
func (b *browser) refused() {
	b.do(chromedp.SendKeys(chromedp.CSS("input[name=set]"), "config.parameter.nonsense=1"+kb.Enter))
	b.sees("spread/undeclared-field")
	b.sees("hello.cue:")
	b.lacks(`button[value="apply"]`)
	b.fits("refused")
	b.open("/ui/deployments/hello")
	b.do(chromedp.SendKeys(chromedp.CSS("input[name=set]"), "config.parameter.password=hunter2hunter2"+kb.Enter))
	b.sees("manager/secret")
	require.NotContains(b.t, b.text("document.body.innerText"), "hunter2hunter2")
}

func (b *browser) breaks(file string) {
	b.open("/ui/deployments/hello")
	b.do(chromedp.SetUploadFiles(chromedp.CSS("input[name=file]"), []string{file}), chromedp.Submit(chromedp.CSS("input[name=file]")))
	b.sees("example.com/broken:1")
	b.fits("plan-update")
	b.do(chromedp.Click(chromedp.CSS(`button[value="apply"]`)))
	b.sees("live/unhealthy")
	b.open("/ui/deployments/hello")
	b.sees("its image is called broken")
	b.sees("failing")
	b.fits("failing")
}

func (b *browser) goesBack() {
	b.open("/ui/deployments/hello/history")
	b.do(chromedp.Click(chromedp.CSS(`button[aria-label="Go back to manifest 1"]`)))
	b.sees("Plan: rollback hello")
	b.do(chromedp.Click(chromedp.CSS(`button[value="apply"]`)))
	b.sees("rollback hello")
	b.sees("done")
	b.open("/ui/deployments/hello")
	b.sees("healthy")
	b.open("/ui/deployments/hello/history?from=1&to=2")
	b.sees("example.com/broken:1")
	b.fits("history")
}

// shows the other parts, and a change of somebody else without loading the page again.
func (b *browser) shows(d *daemon) {
	for path, part := range map[string]string{"operations": "rollback hello", "environments": "local", "audit": "deployments/hello", "nowhere": "no page is at /ui/nowhere"} {
		b.open("/ui/" + path)
		b.sees(part)
		b.fits(path)
	}
	b.open("/ui/?labelSelector=stage%3Dprod")
	b.sees("No deployment that you may see is like that")
	b.open("/ui/")
	d.well(d.ask(202, "POST", "/v1/deployments", m{"name": "other", "input": m{"bundle": d.upload(hello)}}))
	b.sees("other")
	b.scales(d)
	b.open("/ui/deployments/hello")
	stale := b.text("document.querySelector('input[name=revision]').value")
	d.well(d.ask(202, "PATCH", "/v1/deployments/hello", m{"labels": m{"stage": "test", "team": "a"}}, d.of("hello")))
	b.sees("team=a")
	require.Equal(b.t, stale, b.text("document.querySelector('input[name=revision]').value"), "a form is of the state that it was made of")
	b.do(chromedp.SendKeys(chromedp.CSS("input[name=set]"), "config.parameter.who=me"+kb.Enter))
	b.sees("Somebody else was first")
}

// scales a role by its form.
func (b *browser) scales(d *daemon) {
	b.open("/ui/deployments/hello")
	b.do(chromedp.SetValue(chromedp.CSS("input[name=hsize]"), "3"), chromedp.Submit(chromedp.CSS("input[name=hsize]")))
	b.sees("Nothing is changed yet")
	b.sees("none → 3")
	b.do(chromedp.Click(chromedp.CSS(`button[value="apply"]`)))
	b.sees("update hello")
	b.sees("done")
	require.Contains(b.t, string(d.ask(200, "GET", "/v1/deployments/hello/manifests/4", nil).body), "config.scale.detail.hello.hsize")
}

// viewer sees one deployment, no buttons, and is refused where it sends what they would.
func (b *browser) viewer(d *daemon) {
	var made struct{ Token string }
	d.ask(201, "POST", "/v1/tokens", m{"name": "eve", "role": "viewer", "selector": "stage=test"}).read(b.t, &made)
	b.do(chromedp.Click(chromedp.CSS("form.me button")))
	b.signIn(made.Token)
	b.sees("eve")
	b.sees("hello")
	require.NotContains(b.t, b.text("document.body.innerText"), "other")
	b.lacks(`a[href="/ui/new"]`, `a[href="/ui/audit"]`)
	b.open("/ui/deployments/hello")
	b.sees("healthy")
	b.lacks(`main form`, `a[href$="/delete"]`)
	b.fits("viewer")
	b.open("/ui/deployments/hello/history")
	b.lacks(`main form[method="post"]`)
	b.open("/ui/new")
	b.sees("You may not do that")
	b.open("/ui/deployments/other")
	b.sees("There is nothing here")

	session, body := b.session(d, made.Token)
	require.NotContains(b.t, session.Value, made.Token)
	require.True(b.t, session.HttpOnly)
	require.Equal(b.t, http.SameSiteLaxMode, session.SameSite)
	require.Empty(b.t, body)
	for path, form := range map[string]url.Values{
		"/ui/change": {"verb": {"rollback"}, "name": {"hello"}, "manifest": {"1"}, "revision": {"1"}, "step": {"apply"}},
		"/ui/deployments/hello/maintenance/begin": {"revision": {"1"}},
	} {
		require.Equal(b.t, 403, b.post(d, path, form, session, ""), path)
	}
	admin, _ := b.session(d, d.token)
	form := url.Values{"verb": {"delete"}, "name": {"hello"}, "revision": {"1"}, "step": {"apply"}}
	require.Equal(b.t, 403, b.post(d, "/ui/change", form, admin, "https://elsewhere.example"))
	require.Equal(b.t, 412, b.post(d, "/ui/change", form, admin, d.url))
	admin.Value = admin.Value[:len(admin.Value)-2] + "AA"
	require.Equal(b.t, 303, b.post(d, "/ui/change", form, admin, d.url), "what is not sealed here is no session")
}

// withoutRedirects is a client that goes nowhere else.
var withoutRedirects = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

func (b *browser) session(d *daemon, token string) (*http.Cookie, string) {
	r, err := withoutRedirects.PostForm(d.url+"/ui/sign-in", url.Values{"token": {token}, "to": {"//elsewhere.example"}})
	require.NoError(b.t, err)
	defer r.Body.Close()
	require.Equal(b.t, "/ui/", r.Header.Get("Location"), "nobody is sent elsewhere")
	require.Len(b.t, r.Cookies(), 1)
	return r.Cookies()[0], ""
}

func (b *browser) post(d *daemon, path string, form url.Values, session *http.Cookie, origin string) int {
	r, err := http.NewRequest(http.MethodPost, d.url+path, strings.NewReader(form.Encode()))
	require.NoError(b.t, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if origin != "" {
		r.Header.Set("Origin", origin)
	}
	r.AddCookie(session)
	answer, err := withoutRedirects.Do(r)
	require.NoError(b.t, err)
	defer answer.Body.Close()
	return answer.StatusCode
}

func (b *browser) deletes(d *daemon) {
	b.do(chromedp.Click(chromedp.CSS("form.me button")))
	b.signIn(d.token)
	b.sees("Deployments")
	b.open("/ui/deployments/hello/delete")
	b.sees("its data is lost")
	b.fits("delete")
	b.do(chromedp.Click(chromedp.CSS("button[name=step]")))
	b.sees("delete hello")
	b.sees("done")
	b.open("/ui/deployments/hello")
	b.sees("There is nothing here")
	b.open("/ui/deployments/hello/history")
	b.sees("hello (deleted)")
}

// TestPageKubernetes looks at what really runs: instances, images and a role that does not come
// up, as the API server tells it.
func TestPageKubernetes(t *testing.T) {
	t.Parallel()
	r := newReal(t)
	r.well(r.ask(202, "POST", "/v1/deployments", m{"name": "shop", "input": m{"bundle": r.upload(shop)}}))
	b := newBrowser(t, r.url)
	b.open("/ui/deployments/shop")
	b.signIn(r.token)
	b.sees("2 of 2")
	b.sees("shop/web")
	require.Equal(t, "api db web", b.text(`[...document.querySelectorAll("select[name=role] option")].map(o => o.value).join(" ")`))
	b.do(chromedp.Poll[chromedp.Void]("document.querySelector('#drawing img').naturalWidth > 300"))
	r.kubectl("delete", "deployment/shop-web")
	b.sees("shop/web is missing") // it asks again by itself
	b.sees("failing")
	b.sees("Deployment/shop-web")
	b.fits("kubernetes")
	b.do(chromedp.SendKeys(chromedp.CSS("input[name=set]"), "config.parameter.logLevel=debug"+kb.Enter))
	b.sees("Nothing is changed yet")
	b.sees("Deployment/shop-web")
	b.fits("kubernetes-plan")
	b.do(chromedp.Click(chromedp.CSS(`button[value="apply"]`)))
	b.sees("update shop")
	b.sees("done")
	require.Equal(t, "2", r.kubectl("get", "deployment/shop-web", "-o", "jsonpath={.spec.replicas}"))
	b.halts(r)
}

// halts stops and starts a role, and says what stays when all is deleted.
func (b *browser) halts(r *real) {
	b.open("/ui/deployments/shop")
	b.do(chromedp.SetValue(chromedp.CSS("select[name=path]"), "shop/web"), chromedp.Click(chromedp.CSS(`button[value="stop"]`)))
	b.sees("Plan: stop shop")
	b.fits("stop-plan")
	b.do(chromedp.Click(chromedp.CSS(`button[value="apply"]`)))
	b.sees("done")
	b.fits("stopped")
	require.Equal(b.t, "0", r.kubectl("get", "deployment/shop-web", "-o", "jsonpath={.spec.replicas}"))
	b.open("/ui/deployments/shop")
	b.sees("stopped")
	b.do(chromedp.SetValue(chromedp.CSS("select[name=path]"), "shop/web"), chromedp.Click(chromedp.CSS(`button[value="start"]`)))
	b.do(chromedp.Click(chromedp.CSS(`button[value="apply"]`)))
	b.sees("done")
	require.Equal(b.t, "2", r.kubectl("get", "deployment/shop-web", "-o", "jsonpath={.spec.replicas}"))
	b.open("/ui/deployments/shop/delete")
	b.sees("What stays, unless its data may be lost")
	b.sees("PersistentVolumeClaim/")
	b.fits("delete-stays")
}

// reads shows what the instances of a role have written.
func (b *browser) reads() {
	b.open("/ui/deployments/hello")
	b.do(chromedp.Click(chromedp.CSS(`a[href*="/logs?path="]`)))
	b.sees("hello-hello-0 hello: begins")
	b.fits("logs")
}

// drains lets the instances of a node leave, and opens it again.
func (b *browser) drains() {
	b.do(chromedp.Click(chromedp.CSS(`a[href="/ui/nodes"]`)))
	b.sees("hello/hello hello-hello-0")
	b.fits("nodes")
	b.do(chromedp.Click(chromedp.CSS(`a[href="/ui/nodes/local/folder/drain"]`)))
	b.sees("Nothing is changed yet")
	b.fits("drain")
	b.do(chromedp.Click(chromedp.CSS("button.main")))
	b.sees("drain node folder of local")
	b.sees("done")
	b.fits("drained")
	b.open("/ui/nodes")
	b.do(chromedp.Click(chromedp.CSS(`a[href="/ui/nodes/local/folder/open"]`)))
	b.do(chromedp.Click(chromedp.CSS("button.main")))
	b.sees("open node folder of local")
	b.sees("done")
}
