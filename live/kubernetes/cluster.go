package kubernetes

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"kumiki.dev/engine"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
)

// Manager is the name under which kumiki owns fields.
const Manager = "kumiki"

// requestTimeout is how long the API server may take to answer one request other than a
// watch.
const requestTimeout = 30 * time.Second

// Options say which cluster it is; the zero value is what kubectl would use.
type Options struct {
	// Kubeconfig is a file, and Context one of those in it.
	Kubeconfig, Context string
	// Namespace is where objects are that do not say; "" for the context's.
	Namespace string
	// Agent is what the API server is told of who asks.
	Agent string
}

// Cluster is a Kubernetes cluster, seen from a namespace. It is for several goroutines.
type Cluster struct {
	// Namespace is where objects are that do not say.
	Namespace string
	// Name is the context's, in words: nothing of its credentials.
	Name string

	client dynamic.Interface
	http   *http.Client
	base   *url.URL
	warned warnings

	mu    sync.Mutex
	kinds map[string]kind              // found by asking, by apiVersion and kind
	real  map[engine.ID]map[string]any // the fields of objects that are secret
	// gathered is used while gathering is true.
	gathered  *gathered
	gathering bool
	defs      map[string]bool // groups of kinds that are about to be defined
}

// Connect reads the configuration, and asks the cluster nothing yet.
func Connect(o Options) (*Cluster, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = o.Kubeconfig
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: o.Context})
	config, err := loader.ClientConfig()
	if err != nil {
		return nil, unnamed(err, loader)
	}
	c := &Cluster{Namespace: o.Namespace, kinds: map[string]kind{}, real: map[engine.ID]map[string]any{}, defs: map[string]bool{}}
	if raw, err := loader.RawConfig(); err == nil {
		c.Name = raw.CurrentContext
	}
	if o.Context != "" {
		c.Name = o.Context
	}
	if c.Namespace == "" {
		if c.Namespace, _, err = loader.Namespace(); err != nil {
			return nil, err
		}
	}
	config.QPS, config.UserAgent, config.WarningHandlerWithContext = -1, o.Agent, &c.warned
	if c.http, err = rest.HTTPClientFor(config); err != nil {
		return nil, err
	}
	if c.base, _, err = rest.DefaultServerUrlFor(config); err != nil {
		return nil, err
	}
	c.client, err = dynamic.NewForConfigAndClient(config, c.http)
	return c, err
}

// unnamed says why a configuration names no cluster, and what would.
func unnamed(err error, loader clientcmd.ClientConfig) error {
	files := strings.Join(loader.ConfigAccess().GetLoadingPrecedence(), " or ")
	raw, read := loader.RawConfig()
	switch {
	case clientcmd.IsEmptyConfig(err):
		return fmt.Errorf("no cluster: nothing in %s names one; --kubeconfig FILE or KUBECONFIG says in which file it is", files)
	case read == nil && len(raw.Contexts) > 0:
		return fmt.Errorf("no cluster: %w; --context NAME is one of %s", err, strings.Join(sorting.Ordered(raw.Contexts), ", "))
	}
	return fmt.Errorf("no cluster: %w; --kubeconfig FILE or KUBECONFIG names the file that says which, and --context NAME one of those in it", err)
}

// Where implements [live.System].
func (c *Cluster) Where() string {
	return fmt.Sprintf("namespace %s of %s", c.Namespace, cmp.Or(c.Name, "-"))
}

// warnings are what the API server has warned of, each once.
type warnings struct {
	mu    sync.Mutex
	texts []string
}

// HandleWarningHeaderWithContext implements [rest.WarningHandlerWithContext].
func (w *warnings) HandleWarningHeaderWithContext(_ context.Context, code int, _ string, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if code == http.StatusMultipleChoices-1 && text != "" && !filter.Contains(w.texts, text) {
		w.texts = append(w.texts, text)
	}
}

// Warnings implements [live.System].
func (c *Cluster) Warnings() []string {
	c.warned.mu.Lock()
	defer c.warned.mu.Unlock()
	texts := c.warned.texts
	c.warned.texts = nil
	return texts
}

// in returns the client for objects of a kind in a namespace, "" for kinds that are in none.
func (c *Cluster) in(ctx context.Context, about engine.About) (dynamic.ResourceInterface, error) {
	k, err := c.kind(ctx, about)
	if err != nil {
		return nil, err
	}
	of := c.client.Resource(k.resource)
	if !k.namespaced {
		return of, nil
	}
	namespace := about.Namespace
	if namespace == "" {
		namespace = c.Namespace
	}
	return of.Namespace(namespace), nil
}

// get reads an object, nil if there is none.
func (c *Cluster) get(ctx context.Context, about engine.About) (*unstructured.Unstructured, error) {
	in, err := c.in(ctx, about)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	u, err := in.Get(ctx, about.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return u, err
}

// NamespaceThere makes sure of the namespace: it reports whether it is there, or has been
// made just now.
func (c *Cluster) NamespaceThere(ctx context.Context, create bool) (there, made bool, err error) {
	about := engine.About{ID: engine.ID{Kind: "Namespace", Name: c.Namespace}, Version: "v1"}
	u, err := c.get(ctx, about)
	if err != nil || u != nil || !create {
		return u != nil, false, err
	}
	in := c.client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"})
	_, err = in.Create(ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": c.Namespace, "labels": map[string]any{managedBy: Manager}},
	}}, metav1.CreateOptions{FieldManager: Manager})
	if apierrors.IsAlreadyExists(err) {
		return true, false, nil
	}
	return err == nil, err == nil, err
}
