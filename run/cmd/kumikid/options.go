package main

import (
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
}

func (o *options) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&o.dir, "dir", "", "`directory` for all that is kept (default: kumikid in XDG_STATE_HOME, or ~/.local/state)")
	flags.StringArrayVar(&o.etcd, "etcd", nil, "`URL` of a member of an etcd cluster, in place of an etcd in this process; may be given several times")
	flags.StringVar(&o.etcdCA, "etcd-ca", "", "`file` with the authority that etcd's certificate is of")
	flags.StringVar(&o.etcdCert, "etcd-cert", "", "`file` with the certificate that is shown to etcd")
	flags.StringVar(&o.etcdKey, "etcd-key", "", "`file` with its key")
	flags.Int64Var(&o.quota, "quota", 8<<30, "how many `bytes` the records may take in this process's etcd")
	flags.StringVar(&o.kubeconfig, "kubeconfig", "", "`file` that says which clusters there are, in place of KUBECONFIG and ~/.kube/config")
	flags.StringVarP(&o.target, "target", "t", "", "what environment local runs: `kubernetes` or swarm (default: kubernetes where there is a kubeconfig)")
	flags.StringVar(&o.context, "context", "", "`name` of its context in the kubeconfig, or of docker's (default: the current one)")
	flags.StringVarP(&o.namespc, "namespace", "n", "", "its `namespace` (default: the context's)")
}

// open opens the store.
func (o *options) open(cmd *cobra.Command) (*store.Store, error) {
	if o.dir == "" {
		state := os.Getenv("XDG_STATE_HOME")
		if state == "" {
			home, err := os.UserHomeDir()
			if err != nil {
				return nil, wrongUsage("which directory? Say --dir DIR: %w", err)
			}
			state = filepath.Join(home, ".local", "state")
		}
		o.dir = filepath.Join(state, "kumikid")
	}
	if err := os.MkdirAll(o.dir, 0o700); err != nil {
		return nil, err
	}
	if err := os.Chmod(o.dir, 0o700); err != nil {
		return nil, err
	}
	config, err := o.tls()
	if err != nil {
		return nil, err
	}
	return store.Open(cmd.Context(), store.Options{Dir: o.dir, Endpoints: o.etcd, TLS: config, Quota: o.quota})
}

// tls is how etcd is talked to, nil for without.
func (o *options) tls() (*tls.Config, error) {
	if o.etcdCA == "" && o.etcdCert == "" && o.etcdKey == "" {
		return nil, nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if o.etcdCA != "" {
		data, err := os.ReadFile(o.etcdCA)
		if err != nil {
			return nil, wrongUsage("--etcd-ca: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(data) {
			return nil, wrongUsage("--etcd-ca %s: there is no certificate in it", o.etcdCA)
		}
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
