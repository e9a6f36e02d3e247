package store

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"cuelabs.dev/go/oci/ociregistry"
	"cuelabs.dev/go/oci/ociregistry/ociauth"
	"cuelabs.dev/go/oci/ociregistry/ociclient"
	"cuelabs.dev/go/oci/ociregistry/ociref"
	"github.com/opencontainers/image-spec/specs-go"
	oci "github.com/opencontainers/image-spec/specs-go/v1"

	"kumiki.dev/run/internal/hosts"
)

// Registry names a repository of a registry in which contents are kept.
type Registry struct {
	// Name is oci://HOST/REPOSITORY.
	Name string
	// PlainHTTP talks to it without TLS. A registry on this machine is talked to so unless TLS
	// says how.
	PlainHTTP bool
	// TLS has the authority that its certificate is of, nil for those that the system knows.
	TLS *tls.Config
}

const (
	registryScheme = "oci://"
	contentType    = "application/vnd.kumiki.content.v1"
	tagPrefix      = "content-"
	// contentsKey is what the keys of records about contents in a registry begin with. A
	// registry does not know when something was written last, and removes nothing by
	// transactions.
	contentsKey = "contents/"
	// headerTimeout is how long a registry may take to begin an answer.
	headerTimeout = 30 * time.Second
	// removalTimeout is how long a removal may take: then somebody else makes it.
	removalTimeout = time.Minute
)

// inRegistry keeps contents in a repository: each is a layer of a manifest, which has a tag of
// its digest, so that the registry keeps it.
type inRegistry struct {
	store   *Store
	name    string
	reg     ociregistry.Interface
	repo    string
	adopted atomic.Bool // what no record is of has got one
}

// written is what is kept of a content in the records.
type written struct {
	At time.Time `json:"at"`
	// Removing marks one that is being removed since then: nobody may rely on it.
	Removing bool `json:"removing,omitempty"`
}

// CheckRegistry returns the host and the repository of oci://HOST/REPOSITORY.
func CheckRegistry(name string) (host, repo string, err error) {
	rest, ok := strings.CutPrefix(name, registryScheme)
	host, repo, cut := strings.Cut(rest, "/")
	if !ok || !cut || !ociref.IsValidHost(host) || !ociref.IsValidRepository(repo) {
		return "", "", fmt.Errorf("%q names no repository: write oci://HOST/REPOSITORY, in small letters, such as oci://registry.example:5000/kumiki", name)
	}
	return host, repo, nil
}

// openRegistry asks nothing of the registry yet.
func openRegistry(s *Store, r Registry) (*inRegistry, error) {
	host, repo, err := CheckRegistry(r.Name)
	if err != nil {
		return nil, err
	}
	logins, err := ociauth.Load(nil)
	if err != nil {
		return nil, fmt.Errorf("the logins for %s: %w", r.Name, err)
	}
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: r.TLS, ForceAttemptHTTP2: true, TLSHandshakeTimeout: 10 * time.Second,
		ResponseHeaderTimeout: headerTimeout, MaxIdleConnsPerHost: 8, IdleConnTimeout: time.Minute, DialContext: (&net.Dialer{Timeout: 10 * time.Second}).DialContext}
	reg, err := ociclient.New(host, &ociclient.Options{
		Transport: ociauth.NewStdTransport(ociauth.StdTransportParams{Config: logins, Transport: transport}),
		Insecure:  r.PlainHTTP || r.TLS == nil && hosts.Loopback(host),
	})
	return &inRegistry{store: s, name: r.Name, reg: reg, repo: repo}, err
}

// Put implements [Contents].
func (c *inRegistry) Put(ctx context.Context, data []byte) (string, error) {
	digest := Digest(data)
	if err := c.touch(ctx, digest); err != nil {
		return "", err
	}
	if there, err := c.there(ctx, digest); err != nil || there {
		return digest, err
	}
	layer := oci.Descriptor{MediaType: contentType, Digest: ociregistry.Digest(digest), Size: int64(len(data))}
	config := oci.DescriptorEmptyJSON
	if err := c.push(ctx, layer, data); err != nil {
		return "", err
	}
	if err := c.push(ctx, config, config.Data); err != nil {
		return "", err
	}
	config.Data = nil
	manifest, err := json.Marshal(oci.Manifest{Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: oci.MediaTypeImageManifest, ArtifactType: contentType, Config: config, Layers: []oci.Descriptor{layer}})
	if err != nil {
		return "", err
	}
	_, err = c.reg.PushManifest(ctx, c.repo, tagPrefix+layer.Digest.Encoded(), manifest, oci.MediaTypeImageManifest)
	return digest, c.problem(err)
}

// push pushes a blob, unless it is there.
func (c *inRegistry) push(ctx context.Context, blob oci.Descriptor, data []byte) error {
	if _, err := c.reg.ResolveBlob(ctx, c.repo, blob.Digest); err == nil {
		return nil
	}
	_, err := c.reg.PushBlob(ctx, c.repo, blob, bytes.NewReader(data))
	return c.problem(err)
}

// Get implements [Contents].
func (c *inRegistry) Get(ctx context.Context, digest string) ([]byte, error) {
	there, err := c.there(ctx, digest)
	if err == nil && !there {
		err = fmt.Errorf("%s: %w", digest, ErrNotFound)
	}
	if err != nil {
		return nil, err
	}
	r, err := c.reg.GetBlob(ctx, c.repo, ociregistry.Digest(digest))
	if unknown(err) {
		return nil, fmt.Errorf("%s: %w", digest, ErrNotFound)
	}
	if err != nil {
		return nil, c.problem(err)
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if is := Digest(data); is != digest && int64(len(data)) >= r.Descriptor().Size { // all of it came
		return nil, fmt.Errorf("%s in %s: %w: its digest is %s; push it again, or put the registry back from a backup", digest, c.name, ErrDamaged, is)
	}
	return data, c.problem(err)
}

// Has implements [Contents].
func (c *inRegistry) Has(ctx context.Context, digest string) (bool, error) {
	if _, err := hexOf(digest); err != nil {
		return false, nil
	}
	if there, err := c.there(ctx, digest); err != nil || !there {
		return false, err
	}
	if err := c.touch(ctx, digest); err != nil {
		return false, err
	}
	return c.there(ctx, digest) // it may have been removed before the time was written
}

// Remove implements [Contents].
func (c *inRegistry) Remove(ctx context.Context, digest string) error {
	if _, err := hexOf(digest); err != nil {
		return err
	}
	_, revision, err := Read[written](ctx, c.store, contentsKey+digest)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	return c.remove(ctx, digest, revision)
}

// Collect implements [Contents].
func (c *inRegistry) Collect(ctx context.Context, named map[string]bool, grace time.Duration) (removed int, err error) {
	if err := c.adopt(ctx); err != nil {
		return 0, err
	}
	old := time.Now().Add(-grace)
	page := Page{Limit: 1000}
	for more := true; more; {
		entries, revision, next, err := c.store.List(ctx, contentsKey, page)
		if err != nil {
			return removed, err
		}
		for _, e := range entries {
			page.After = e.Key
			var w written
			digest := strings.TrimPrefix(e.Key, contentsKey)
			if err := json.Unmarshal(e.Value, &w); err != nil {
				return removed, fmt.Errorf("%s: %w", e.Key, err)
			}
			if !w.Removing && (w.At.After(old) || named[digest]) {
				continue
			}
			if err := c.remove(ctx, digest, e.Revision); errors.Is(err, ErrConflict) {
				continue // somebody wants it again
			} else if err != nil {
				return removed, err
			}
			removed++
		}
		page.At, more = revision, next
	}
	return removed, nil
}

// adopt gives what the repository has and no record is of a record, so that it is collected: once
// in the life of a process, as only a loss of the records leaves it.
func (c *inRegistry) adopt(ctx context.Context) error {
	if c.adopted.Load() {
		return nil
	}
	for tag, err := range c.reg.Tags(ctx, c.repo, "") {
		if unknown(err) {
			break
		}
		if err != nil {
			return c.problem(err)
		}
		hex, ours := strings.CutPrefix(tag, tagPrefix)
		if !ours || !digestForm.MatchString("sha256:"+hex) {
			continue
		}
		_, err := c.store.Commit(ctx, Put(contentsKey+"sha256:"+hex, written{At: time.Now().UTC()}, 0))
		if err != nil && !errors.Is(err, ErrConflict) {
			return err
		}
	}
	c.adopted.Store(true)
	return nil
}

// touch writes that a content is wanted now: nobody begins to remove it for the time of grace.
func (c *inRegistry) touch(ctx context.Context, digest string) error {
	key := contentsKey + digest
	for {
		w, revision, err := Read[written](ctx, c.store, key)
		switch {
		case errors.Is(err, ErrNotFound):
		case err != nil:
			return err
		case w.Removing && time.Since(w.At) > removalTimeout: // by a server that has ended
			if err := c.remove(ctx, digest, revision); err != nil && !errors.Is(err, ErrConflict) {
				return err
			}
			continue
		case w.Removing:
			select {
			case <-time.After(100 * time.Millisecond):
				continue
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		if _, err = c.store.Commit(ctx, Put(key, written{At: time.Now().UTC()}, revision)); !errors.Is(err, ErrConflict) {
			return err
		}
	}
}

// remove removes a content whose record is still that of a revision, 0 for none. What the registry
// refuses to remove stays, and may be used.
func (c *inRegistry) remove(ctx context.Context, digest string, revision int64) error {
	ctx, cancel := context.WithTimeout(ctx, removalTimeout/2)
	defer cancel()
	key := contentsKey + digest
	marked, err := c.store.Commit(ctx, Put(key, written{At: time.Now().UTC(), Removing: true}, revision))
	if err != nil {
		return err
	}
	if err := c.delete(ctx, digest); err != nil {
		if errors.Is(err, errKeeps) {
			_, failed := c.store.Commit(ctx, Put(key, written{At: time.Now().UTC()}, marked))
			return errors.Join(err, failed)
		}
		return err
	}
	_, err = c.store.Commit(ctx, Remove(key, marked))
	return err
}

var errKeeps = errors.New("the registry lets nothing be removed")

// delete deletes the manifest of a content, and the content itself where the registry does not
// leave that to its own collection.
func (c *inRegistry) delete(ctx context.Context, digest string) error {
	manifest, err := c.reg.ResolveTag(ctx, c.repo, tagOf(digest))
	if err == nil {
		err = c.reg.DeleteManifest(ctx, c.repo, manifest.Digest)
	}
	if err != nil && !unknown(err) {
		if refused(err) {
			return fmt.Errorf("%s: %w: allow it there (docker-registry: storage.delete.enabled), and allow this login to: %w", c.name, errKeeps, err)
		}
		return c.problem(err)
	}
	if err := c.reg.DeleteBlob(ctx, c.repo, ociregistry.Digest(digest)); err != nil && !unknown(err) && !refused(err) {
		return c.problem(err)
	}
	return nil
}

func tagOf(digest string) string { return tagPrefix + strings.TrimPrefix(digest, "sha256:") }

// there reports whether the repository has a content.
func (c *inRegistry) there(ctx context.Context, digest string) (bool, error) {
	if _, err := hexOf(digest); err != nil {
		return false, err
	}
	_, err := c.reg.ResolveTag(ctx, c.repo, tagOf(digest))
	if unknown(err) {
		return false, nil
	}
	return err == nil, c.problem(err)
}

// unknown reports whether a registry does not have what was asked for.
func unknown(err error) bool { return statusOf(err) == http.StatusNotFound }

// refused reports whether a registry does not do what was asked for.
func refused(err error) bool {
	switch statusOf(err) {
	case http.StatusForbidden, http.StatusMethodNotAllowed, http.StatusBadRequest:
		return true
	}
	return false
}

// statusOf is that of an answer, 0 if there was none.
func statusOf(err error) int {
	var h ociregistry.HTTPError
	if errors.As(err, &h) {
		return h.StatusCode()
	}
	return 0
}

// problem says what is wrong with a registry.
func (c *inRegistry) problem(err error) error {
	switch {
	case err == nil, errors.Is(err, context.Canceled):
		return err
	case statusOf(err) == http.StatusUnauthorized:
		return fmt.Errorf("%w: %s asks for a login, which docker login keeps: %w", ErrUnavailable, c.name, err)
	}
	return fmt.Errorf("%w: contents in %s: %w", ErrUnavailable, c.name, err)
}
