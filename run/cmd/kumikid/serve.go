package main

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	systemd "github.com/coreos/go-systemd/v22/daemon"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"kumiki.dev/run/access"
	"kumiki.dev/run/api"
	"kumiki.dev/run/compile"
	"kumiki.dev/run/internal/hosts"
	"kumiki.dev/run/operate"
	"kumiki.dev/run/page"
	"kumiki.dev/run/place"
	"kumiki.dev/run/record"
	"kumiki.dev/run/store"
)

// serveOptions are the flags of serve.
type serveOptions struct {
	options
	oidc             oidcOptions
	listen, socket   string
	cert, key        string
	plain            bool
	adminToken       string // a file, none, or "" for one that is printed
	compiler         string
	limits           compile.Limits
	atOnce           int
	sight            sightOptions
	rate             float64
	connect          operate.Connector // nil for what this machine reaches
	reached          func(string)
	compileMegabytes int64
}

func newServeCmd(out, errs io.Writer) *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the interface, and carry out what is asked for",
		Long: `Serve keeps deployments in a directory, answers on a TCP port of this machine and on a
Unix socket, and brings what runs to what the deployments want.

The first time it prints a token for an administrator: it is not kept, and not shown
again. On the socket root and the user of the server need none. A port that others
reach takes a certificate (--tls-cert), or a proxy before it that has one (--plain-http).

Several may serve over one etcd cluster (--etcd) and one registry (--contents):
one of them carries out operations, and another one takes over where it ends.`,
		Example: `  kumikid serve
  kumikid serve --listen 0.0.0.0:7676 --tls-cert server.pem --tls-key server.key
  kumikid serve --etcd https://etcd-0:2379 --etcd https://etcd-1:2379 --etcd-ca ca.pem`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			end, err := fromVariables(cmd.Flags())
			defer end()
			if err != nil {
				return err
			}
			return serve(cmd, o, out, errs)
		},
	}
	o.flags(cmd)
	return cmd
}

// flags adds the flags of serve.
func (o *serveOptions) flags(cmd *cobra.Command) {
	o.register(cmd)
	o.oidc.register(cmd)
	o.sight.register(cmd)
	cmd.Flags().Float64Var(&o.rate, "rate", 100, "how `many` requests each who is known may make in a second over a while, and five times that at once; 0 for any number")
	flags := cmd.Flags()
	flags.StringVar(&o.listen, "listen", "127.0.0.1:7676", "`address` to listen at; \"\" for the socket only")
	flags.StringVar(&o.socket, "socket", "", "`file` of the Unix socket (default: kumikid.sock in --dir)")
	flags.StringVar(&o.cert, "tls-cert", "", "`file` with the certificate of the server")
	flags.StringVar(&o.key, "tls-key", "", "`file` with its key")
	flags.BoolVar(&o.plain, "plain-http", false, "listen without TLS where others reach it: only where a proxy that has a certificate is the only one that does")
	flags.StringVar(&o.adminToken, "admin-token", "", "`file` with the first administrator's token, which several servers may share; none for no token: an administrator then comes by the socket")
	flags.StringVar(&o.compiler, "compiler", "", "`file` of the compiler (default: kumiki beside kumikid, or on PATH)")
	flags.DurationVar(&o.limits.Wall, "compile-timeout", 2*time.Minute, "how `long` one compilation may take, by the clock")
	flags.DurationVar(&o.limits.CPU, "compile-cpu", 2*time.Minute, "how `much` of processors it may take")
	flags.Int64Var(&o.compileMegabytes, "compile-memory", 1024, "how many `megabytes` it may take")
	flags.IntVar(&o.limits.AtOnce, "compile-at-once", 2, "how `many` there may be at the same time")
	flags.IntVar(&o.atOnce, "operations-at-once", 8, "how `many` operations are carried out at the same time")
}

func serve(cmd *cobra.Command, o serveOptions, out, errs io.Writer) error {
	if err := o.check(); err != nil {
		return err
	}
	issuer, err := o.oidc.open()
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	id := serverID()
	sight, err := o.sight.open(ctx, errs, id)
	if err != nil {
		return err
	}
	defer sight.close()
	log := sight.Log
	var secured *tls.Config
	if o.cert != "" {
		if secured, err = (&certificate{cert: o.cert, key: o.key, log: log}).open(); err != nil {
			return err
		}
	}
	o.limits.Memory = o.compileMegabytes << 20
	compiler, err := compile.New(ctx, o.compiler, o.limits)
	if err != nil {
		return err
	}
	if !compiler.Alone() {
		log.Warn("the compiler gets no network of its own: this user may not make one")
	}
	if o.connect == nil {
		o.connect = operate.Here(o.kubeconfig)
	}
	s, err := o.open(cmd)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := o.begin(ctx, s, out); err != nil {
		return err
	}
	server := &api.Server{Store: s, Compiler: compiler, Connect: o.connect, Trees: compiler, Log: log, Issuer: issuer, Metrics: sight.Metrics,
		Rate: access.NewLimiter(o.rate, int(5*o.rate)+1), Strangers: o.strangers()}
	sight.Metrics.Store(server.Stored)
	operator := &operate.Operator{Store: s, Compiler: compiler, Connect: o.connect, Log: log, AtOnce: o.atOnce, Audit: server.Carried, Reached: o.reached, Metrics: sight.Metrics, Tracer: sight.Tracer}
	return o.run(ctx, server, operator, sight, id, secured, out)
}

// strangers bounds wrong tokens: 20 at once from an address, and then one every three seconds.
func (o *serveOptions) strangers() *access.Limiter {
	if o.rate <= 0 {
		return nil
	}
	return access.NewLimiter(1.0/3, 20)
}

// check refuses a port that others reach in the clear.
func (o *serveOptions) check() error {
	if (o.cert == "") != (o.key == "") {
		return wrongUsage("--tls-cert and --tls-key belong together")
	}
	if o.plain && o.cert != "" {
		return wrongUsage("--plain-http and --tls-cert exclude each other")
	}
	if o.listen == "" || o.cert != "" || o.plain {
		return nil
	}
	host, _, err := net.SplitHostPort(o.listen)
	if err != nil {
		return wrongUsage("--listen %s: %w", o.listen, err)
	}
	if !hosts.Loopback(host) {
		return wrongUsage("--listen %s: others reach that, and tokens would go there in the clear; say --tls-cert and --tls-key, listen at 127.0.0.1, or say --plain-http behind a proxy that has a certificate", o.listen)
	}
	return nil
}

// begin makes the environment of this machine and the first token, where there is none.
func (o *serveOptions) begin(ctx context.Context, s *store.Store, out io.Writer) error {
	made := false
	e, err := o.local()
	if err != nil {
		return err
	}
	// A store that is full takes no write, also of what is there already.
	if _, err = s.Get(ctx, record.Environments+e.Name); errors.Is(err, store.ErrNotFound) {
		_, err = s.Commit(ctx, store.Put(record.Environments+e.Name, e, 0))
		made = err == nil
	}
	if err != nil && !errors.Is(err, store.ErrConflict) {
		return err
	}
	if made {
		fmt.Fprintf(out, "environment local is %s\n", o.describe(e))
	}
	return o.firstToken(ctx, s, out)
}

// firstToken makes the token of an administrator, where there is no token.
func (o *serveOptions) firstToken(ctx context.Context, s *store.Store, out io.Writer) error {
	tokens := access.Tokens{Store: s}
	switch o.adminToken {
	case "none":
		return nil
	case "":
		secret, err := tokens.First(ctx)
		if secret != "" {
			fmt.Fprintf(out, "the administrator's token, which is not shown again: %s\n", secret)
		}
		return err
	}
	secret, err := access.ReadToken(o.adminToken)
	if err != nil {
		return wrongUsage("--admin-token: %w", err)
	}
	return tokens.Given(ctx, secret)
}

// run serves until the context ends.
func (o *serveOptions) run(ctx context.Context, server *api.Server, operator *operate.Operator, sight *sight, id string, secured *tls.Config, out io.Writer) error {
	handler, err := withPage(ctx, server)
	if err != nil {
		return err
	}
	h := &http.Server{Handler: sight.Around(handler), ErrorLog: slog.NewLogLogger(sight.Log.Handler(), slog.LevelWarn), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10, TLSConfig: secured, ConnContext: access.WithPeer}
	listeners, err := o.listeners()
	if err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	h.BaseContext = func(net.Listener) context.Context { return ctx } // watches end with it
	for _, l := range listeners {
		fmt.Fprintf(out, "listening at %s\n", l.Addr())
		g.Go(func() error {
			if secured != nil && l.Addr().Network() == "tcp" {
				return h.ServeTLS(l, "", "")
			}
			return h.Serve(l)
		})
	}
	if _, err := systemd.SdNotify(true, systemd.SdNotifyReady); err != nil {
		server.Log.Warn("systemd is not told that this listens", "error", err)
	}
	g.Go(func() error { return operator.Run(ctx, id) })
	placer := &place.Placer{Store: server.Store, Compiler: server.Trees, Log: server.Log, Change: server.PlaceCell, Reached: o.reached}
	g.Go(func() error { return placer.Run(ctx, id) })
	g.Go(func() error {
		if err := server.Warm(ctx); err != nil && ctx.Err() == nil {
			server.Log.Warn("what questions need is read later", "error", err)
		}
		return nil
	})
	g.Go(func() error {
		<-ctx.Done()
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		_ = h.Shutdown(bounded)
		return nil
	})
	if err := g.Wait(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// withPage answers browsers below /ui/, and all else by the interface.
func withPage(ctx context.Context, server *api.Server) (http.Handler, error) {
	key, err := page.Key(ctx, server.Store)
	if err != nil {
		return nil, err
	}
	answers := server.Handler()
	shown, err := (&page.Page{API: answers, Key: key, Log: server.Log, Issuer: server.Issuer}).Handler()
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/", answers)
	mux.Handle("/{$}", shown)
	mux.Handle("/ui/", shown)
	return mux, nil
}

// serverID tells this server from others.
func serverID() string {
	random := make([]byte, 8)
	_, _ = rand.Read(random) // it does not fail
	return hex.EncodeToString(random)
}

func (o *serveOptions) listeners() ([]net.Listener, error) {
	if o.socket == "" {
		o.socket = filepath.Join(o.dir, "kumikid.sock")
	}
	if other, err := net.Dial("unix", o.socket); err == nil {
		_ = other.Close()
		return nil, wrongUsage("another kumikid listens at %s: --socket FILE names another one", o.socket)
	}
	// What is there is what a server that was killed has left.
	if err := os.Remove(o.socket); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	local, err := net.Listen("unix", o.socket)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(o.socket, 0o600); err != nil {
		return nil, err
	}
	if o.listen == "" {
		return []net.Listener{local}, nil
	}
	port, err := net.Listen("tcp", o.listen)
	return []net.Listener{local, port}, err
}
