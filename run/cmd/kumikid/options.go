package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	cluster "kumiki.dev/live/kubernetes"
	"kumiki.dev/run/record"
	"kumiki.dev/run/store"
	"kumiki.dev/targets"
)

// options are the flags that several commands have.
type options struct {
	dir, kubeconfig          string
	etcd                     []string
	etcdCA, etcdCert         string
	etcdKey                  string
	quota                    int64
	target, context, namespc string
	contents, contentsCA     string
	contentsPlain            bool
}

// registerDir adds the flags that say where all is kept.
func (o *options) registerDir(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&o.dir, "dir", "", "`directory` for all that is kept (default: kumikid in XDG_STATE_HOME, or ~/.local/state)")
	flags.StringVar(&o.contents, "contents", "", "`repository` for bundles and solutions, oci://HOST/REPO, in place of --dir; with the login of docker login")
	flags.StringVar(&o.contentsCA, "contents-ca", "", "`file` with the authority that its certificate is of")
	flags.BoolVar(&o.contentsPlain, "contents-plain-http", false, "talk to it without TLS; without this only on this machine")
}

// registerStore adds those that say where records are, here or in an etcd cluster.
func (o *options) registerStore(cmd *cobra.Command) {
	o.registerDir(cmd)
	flags := cmd.Flags()
	flags.StringArrayVar(&o.etcd, "etcd", nil, "`URL` of a member of an etcd cluster, in place of an etcd in this process; may be given several times")
	flags.StringVar(&o.etcdCA, "etcd-ca", "", "`file` with the authority that etcd's certificate is of")
	flags.StringVar(&o.etcdCert, "etcd-cert", "", "`file` with the certificate that is shown to etcd")
	flags.StringVar(&o.etcdKey, "etcd-key", "", "`file` with its key")
}

func (o *options) register(cmd *cobra.Command) {
	o.registerStore(cmd)
	flags := cmd.Flags()
	flags.Int64Var(&o.quota, "quota", 8<<30, "how many `bytes` the records may take in this process's etcd")
	flags.StringVar(&o.kubeconfig, "kubeconfig", "", "`file` that says which clusters there are, in place of KUBECONFIG and ~/.kube/config")
	flags.StringVarP(&o.target, "target", "t", "", "what environment local runs: `kubernetes` or swarm (default: kubernetes where there is a kubeconfig)")
	flags.StringVar(&o.context, "context", "", "`name` of its context in the kubeconfig, or of docker's (default: the current one)")
	flags.StringVarP(&o.namespc, "namespace", "n", "", "its `namespace` (default: the context's)")
}

// place finds the directory.
func (o *options) place() error {
	if o.dir != "" {
		return nil
	}
	state := os.Getenv("XDG_STATE_HOME")
	if state == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return wrongUsage("which directory? Say --dir DIR: %w", err)
		}
		state = filepath.Join(home, ".local", "state")
	}
	o.dir = filepath.Join(state, "kumikid")
	return nil
}

// open opens the store.
func (o *options) open(cmd *cobra.Command) (*store.Store, error) {
	if err := o.place(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(o.dir, 0o700); err != nil {
		return nil, err
	}
	if err := os.Chmod(o.dir, 0o700); err != nil {
		return nil, err
	}
	return o.openStore(cmd.Context(), false)
}

// openStore opens what is kept; asIs leaves it as an earlier kumikid has written it.
func (o *options) openStore(ctx context.Context, asIs bool) (*store.Store, error) {
	config, err := o.tls()
	if err != nil {
		return nil, err
	}
	contents, err := o.registry()
	if err != nil {
		return nil, err
	}
	return store.Open(ctx, store.Options{Dir: o.dir, Endpoints: o.etcd, TLS: config, Quota: o.quota, Contents: contents, AsIs: asIs})
}

// registry is where contents are kept, the zero value for in --dir.
func (o *options) registry() (store.Registry, error) {
	if o.contents == "" {
		if o.contentsCA != "" || o.contentsPlain {
			return store.Registry{}, wrongUsage("--contents-ca and --contents-plain-http go with --contents oci://HOST/REPO")
		}
		return store.Registry{}, nil
	}
	if _, _, err := store.CheckRegistry(o.contents); err != nil {
		return store.Registry{}, wrongUsage("--contents %w", err)
	}
	r := store.Registry{Name: o.contents, PlainHTTP: o.contentsPlain}
	if o.contentsCA == "" {
		return r, nil
	}
	if o.contentsPlain {
		return r, wrongUsage("--contents-ca: there is no certificate with --contents-plain-http")
	}
	pool, err := authority("--contents-ca", o.contentsCA)
	r.TLS = &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: pool}
	return r, err
}

// authority reads the certificates of a file, for a flag.
func authority(flag, file string) (*x509.CertPool, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, wrongUsage("%s: %w", flag, err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(data) {
		return nil, wrongUsage("%s %s: there is no certificate in it", flag, file)
	}
	return pool, nil
}

// tls is how etcd is talked to, nil for without.
func (o *options) tls() (*tls.Config, error) {
	if o.etcdCA == "" && o.etcdCert == "" && o.etcdKey == "" {
		return nil, nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if o.etcdCA != "" {
		pool, err := authority("--etcd-ca", o.etcdCA)
		if err != nil {
			return nil, err
		}
		config.RootCAs = pool
	}
	if o.etcdCert != "" || o.etcdKey != "" {
		pair, err := tls.LoadX509KeyPair(o.etcdCert, o.etcdKey)
		if err != nil {
			return nil, wrongUsage("--etcd-cert and --etcd-key: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

// local is the environment that this machine reaches.
func (o *options) local() (record.Environment, error) {
	e := record.Environment{Name: "local", Target: o.target, Context: o.context, Options: targets.Options{Namespace: o.namespc}}
	c, err := cluster.Connect(cluster.Options{Kubeconfig: o.kubeconfig, Context: o.context, Namespace: o.namespc})
	switch e.Target {
	case "":
		e.Target = "swarm"
		if err == nil {
			e.Target = "kubernetes"
		}
	case "kubernetes":
		if err != nil {
			return e, wrongUsage("%w", err)
		}
	case "swarm":
	default:
		return e, wrongUsage("--target %s: there are kubernetes and swarm", o.target)
	}
	if e.Target == "kubernetes" {
		e.Options.Namespace = c.Namespace
	} else if o.namespc != "" {
		return e, wrongUsage("--namespace %s: a swarm has no namespaces", o.namespc)
	}
	return e, nil
}

func (o *options) describe(e record.Environment) string {
	if e.Target == "swarm" {
		return "a swarm"
	}
	return fmt.Sprintf("namespace %s of a Kubernetes cluster", e.Options.Namespace)
}
