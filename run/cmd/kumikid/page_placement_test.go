package main

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// treeFile is an archive of the tree in a file.
func treeFile(t *testing.T, files map[string]string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "tree.zip")
	require.NoError(t, os.WriteFile(name, archived(t, files), 0o600))
	return name
}

// TestPagePlacement places a tree in a browser: what it does is shown, approved by who may, seen
// in the table, and taken away with the number repeated.
func TestPagePlacement(t *testing.T) {
	t.Parallel()
	d, files := newDaemon(t), placedTree(t)
	d.makesPlaces()
	b := newBrowser(t, d.url)
	b.open("/ui/templates")
	b.signIn(d.token)
	b.sees("Nothing was placed yet")
	b.places(treeFile(t, files))
	b.sees("It waits for approval: it was asked for so; what changes is in protected environments: eu.")
	b.sees("web-us")
	b.fits("placement-held")
	var viewer struct{ Token string }
	d.ask(201, "POST", "/v1/tokens", m{"name": "looks", "role": "viewer"}).read(t, &viewer)
	session, _ := b.session(d, viewer.Token)
	at := strings.TrimPrefix(b.text("location.pathname"), "")
	require.Equal(t, 403, b.post(d, at+"/approve", url.Values{"revision": {"1"}}, session, ""))
	b.do(chromedp.Click(chromedp.CSS(`form[action$="/approve"] button`)))
	b.sees("Approved by")
	b.sees("done")
	b.fits("placement")
	b.open("/ui/templates")
	b.sees("greeter")
	require.Equal(t, "7", b.text(`[...document.querySelectorAll("table.grid .state")].filter(s => s.innerText == "healthy").length`))
	b.fits("templates")
	b.do(chromedp.Click(chromedp.CSS(`a[href="/ui/deployments/web-eu"]`)))
	b.sees("template web")
	b.lacks(`input[name=set]`)
	b.open("/ui/templates")
	delete(files, "templates/web.cue")
	b.places(treeFile(t, files))
	b.sees("3 solutions would be removed")
	b.do(chromedp.SendKeys(chromedp.CSS("input[name=remove]"), "2"), chromedp.Click(chromedp.CSS(`form[action$="/approve"] button`)))
	b.sees("if that is meant, say remove 3")
	b.do(chromedp.SendKeys(chromedp.CSS("input[name=remove]"), "3"), chromedp.Click(chromedp.CSS(`form[action$="/approve"] button`)))
	b.sees("done")
	b.open("/ui/templates")
	b.sees("greeter")
	b.lacks(`a[href="/ui/deployments/web-eu"]`)
	b.mu.Lock()
	defer b.mu.Unlock()
	require.Empty(t, b.complaints)
}

// TestPagePlacementLoss: who approves what loses data says of which deployments.
func TestPagePlacementLoss(t *testing.T) {
	t.Parallel()
	d, files := newDaemon(t), storedTree(t)
	d.makesStores()
	p, _ := d.rests(d.ask(202, "POST", "/v1/placements", m{"tree": d.send(files)}))
	require.Nil(t, p.Error)
	b := newBrowser(t, d.url)
	b.open("/ui/templates")
	b.signIn(d.token)
	b.places(treeFile(t, moved(files)))
	b.sees("data is lost: db-dev, db-us")
	b.fits("placement-loss")
	b.do(chromedp.Click(chromedp.CSS(`form[action$="/approve"] button`)))
	b.sees("It waits for approval")
	for _, name := range []string{"db-dev", "db-us"} {
		b.do(chromedp.Click(chromedp.CSS(`input[name=data][value=` + name + `]`)))
	}
	b.do(chromedp.Click(chromedp.CSS(`form[action$="/approve"] button`)))
	b.sees("Approved by")
	b.sees("done")
}

// places sends a tree with the form.
func (b *browser) places(file string) {
	b.t.Helper()
	b.do(chromedp.WaitReady(chromedp.CSS("input[type=file]")), chromedp.SetUploadFiles(chromedp.CSS("input[type=file]"), []string{file}),
		chromedp.Click(chromedp.CSS(`form[action="/ui/placements"] button`)))
	b.sees("What it does")
}
