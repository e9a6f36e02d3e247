package modsource

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"

	"cuelabs.dev/go/oci/ociregistry"
	"cuelabs.dev/go/oci/ociregistry/ociref"
)

// maxRedirects bounds how often a web server may lead elsewhere on itself.
const maxRedirects = 5

// webTree is a directory of OCI image layouts on a web server, which answers GET and
// nothing else: for a module example.org/lib there is example.org/lib/index.json
// with the versions. It lists nothing beside that, and is not asked to. The sources
// of a version, which a directory on this machine may have, are none of it.
type webTree struct {
	*ociregistry.Funcs
	base   string // without a slash at its end
	client *http.Client

	mu   sync.Mutex
	read map[string]answer // of files that are not named by their digest
}

type answer struct {
	data []byte
	err  error
}

// isTree reports whether the name of a registry is that of a tree on a web server.
func isTree(name string) bool {
	return strings.HasPrefix(name, "https://") || strings.HasPrefix(name, "http://")
}

func newTree(name string) (*webTree, error) {
	u, err := url.Parse(name)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		shown := "what CUE_REGISTRY or a flag names" // it may have a password in it
		if err == nil {
			shown = fmt.Sprintf("%.200q", u.Redacted())
		}
		return nil, fmt.Errorf("%s is no address of a directory of modules; write one such as https://example.org/modules/, without a login in it", shown)
	}
	t := &webTree{base: strings.TrimRight(name, "/"), read: map[string]answer{}}
	t.client = &http.Client{Transport: Transport(), CheckRedirect: sameHost}
	t.Funcs = &ociregistry.Funcs{
		GetTag_: func(ctx context.Context, repo, tag string) (ociregistry.BlobReader, error) {
			return inTree(ctx, t, repo, func(l *layout) (ociregistry.BlobReader, error) { return l.GetTag(ctx, repo, tag) })
		},
		ResolveTag_: func(ctx context.Context, repo, tag string) (ociregistry.Descriptor, error) {
			return inTree(ctx, t, repo, func(l *layout) (ociregistry.Descriptor, error) { return l.ResolveTag(ctx, repo, tag) })
		},
		GetManifest_: func(ctx context.Context, repo string, d ociregistry.Digest) (ociregistry.BlobReader, error) {
			return inTree(ctx, t, repo, func(l *layout) (ociregistry.BlobReader, error) { return l.GetManifest(ctx, repo, d) })
		},
		ResolveManifest_: func(ctx context.Context, repo string, d ociregistry.Digest) (ociregistry.Descriptor, error) {
			return inTree(ctx, t, repo, func(l *layout) (ociregistry.Descriptor, error) { return l.ResolveManifest(ctx, repo, d) })
		},
		GetBlob_: func(ctx context.Context, repo string, d ociregistry.Digest) (ociregistry.BlobReader, error) {
			return inTree(ctx, t, repo, func(l *layout) (ociregistry.BlobReader, error) { return l.GetBlob(ctx, repo, d) })
		},
		ResolveBlob_: func(ctx context.Context, repo string, d ociregistry.Digest) (ociregistry.Descriptor, error) {
			return inTree(ctx, t, repo, func(l *layout) (ociregistry.Descriptor, error) { return l.ResolveBlob(ctx, repo, d) })
		},
		Tags_: func(ctx context.Context, repo, after string) iter.Seq2[string, error] {
			all, err := inTree(ctx, t, repo, func(l *layout) ([]string, error) { return l.tags() })
			return listed(all, err, func(tag string) bool { return tag > after })
		},
		Referrers_: func(ctx context.Context, repo string, d ociregistry.Digest, kind string) iter.Seq2[ociregistry.Descriptor, error] {
			all, err := inTree(ctx, t, repo, func(l *layout) ([]ociregistry.Descriptor, error) { return l.referrers(d, kind) })
			return listed(all, err, func(ociregistry.Descriptor) bool { return true })
		},
		PushBlob_: func(context.Context, string, ociregistry.Descriptor, io.Reader) (ociregistry.Descriptor, error) {
			return ociregistry.Descriptor{}, t.readOnly()
		},
		PushManifest_: func(context.Context, string, string, []byte, string) (ociregistry.Descriptor, error) {
			return ociregistry.Descriptor{}, t.readOnly()
		},
	}
	return t, nil
}

func (t *webTree) readOnly() error {
	return fmt.Errorf("%s is only read: publish or mirror to a directory, and copy that to where the server has its files", t.base)
}

// sameHost refuses to be led to another host, or from an encrypted connection to a
// plain one: who names a server has asked no other one.
func sameHost(r *http.Request, via []*http.Request) error {
	first := via[0].URL
	switch {
	case r.URL.Host != first.Host || r.URL.Scheme != first.Scheme:
		return fmt.Errorf("%w to %s://%s, which nobody asked for; name that if you mean it", errElsewhere, r.URL.Scheme, r.URL.Host)
	case len(via) >= maxRedirects:
		return fmt.Errorf("%w again and again", errElsewhere)
	}
	return nil
}

var errElsewhere = errors.New("the server leads")

func inTree[T any](ctx context.Context, t *webTree, repo string, f func(*layout) (T, error)) (T, error) {
	l, err := t.layout(ctx, repo)
	if err != nil {
		var none T
		return none, err
	}
	return f(l)
}

// layout returns the layout that a repository is in: that of all modules, or its own.
func (t *webTree) layout(ctx context.Context, repo string) (*layout, error) {
	if !ociref.IsValidRepository(repo) {
		return nil, unknown(ociregistry.ErrNameInvalid)
	}
	for _, l := range []*layout{
		{dir: t.base, prefix: repo + ":", get: t.within(ctx, "")},
		{dir: t.base + "/" + repo, get: t.within(ctx, repo)},
	} {
		if ok, err := l.is(); err != nil || ok {
			return l, err
		}
	}
	return nil, unknown(ociregistry.ErrNameUnknown)
}

// within reads the files below a path.
func (t *webTree) within(ctx context.Context, below string) func(name string, limit int64) ([]byte, error) {
	return func(name string, limit int64) ([]byte, error) {
		at := path.Join(below, name)
		if strings.HasPrefix(name, "blobs/") {
			return t.fetch(ctx, at, limit)
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		a, ok := t.read[at]
		if !ok {
			a.data, a.err = t.fetch(ctx, at, limit)
			t.read[at] = a
		}
		return a.data, a.err
	}
}

func (t *webTree) fetch(ctx context.Context, name string, limit int64) ([]byte, error) {
	at := t.base + "/" + name
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return nil, err
	}
	resp, err := t.client.Do(r)
	if errors.Is(err, errElsewhere) {
		return nil, fmt.Errorf("%s: %w", at, errors.Unwrap(err))
	}
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK:
	case http.StatusNotFound, http.StatusGone:
		return nil, fmt.Errorf("%s: %w", at, fs.ErrNotExist)
	default:
		return nil, ociregistry.NewHTTPError(fmt.Errorf("%s", at), resp.StatusCode, nil, nil)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%s is expected to have no more than %d bytes", at, limit)
	}
	return data, err
}

// listed is a list, or its error.
func listed[T any](all []T, err error, wanted func(T) bool) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		if err != nil {
			var none T
			yield(none, err)
			return
		}
		for _, x := range all {
			if wanted(x) && !yield(x, nil) {
				return
			}
		}
	}
}
