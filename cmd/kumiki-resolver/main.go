// Command kumiki-resolver makes Kumori's names of channels work inside one pod.
// It runs as a native sidecar: processes of the pod ask it for 0.CHANNEL (the
// servers of a channel as one) and set.0.CHANNEL (each of their instances), and
// it answers with the addresses of the services behind them. Whatever else they
// ask goes to the cluster's DNS unchanged.
//
// It reads which services those are, and the pod's own resolv.conf; it writes
// the resolv.conf that the other containers mount over theirs. Each pod has a
// resolver of its own because the names belong to a role: in another role the
// same name may lead to other servers.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stderr)
	stop()
	os.Exit(code)
}

// options are the flags. Their defaults are what a pod needs; tests use other
// paths and a port that takes no rights.
type options struct {
	channels string
	resolv   string
	out      string
	listen   string
	timeout  time.Duration
	refresh  time.Duration
	check    bool
}

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	f := flag.NewFlagSet("kumiki-resolver", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&o.channels, "channels", "/etc/kumiki-resolver/channels.json", "`file` that says where the channels lead")
	f.StringVar(&o.resolv, "resolv", "/etc/resolv.conf", "`file` that names the cluster's DNS servers")
	f.StringVar(&o.out, "out", "/run/kumiki/resolv.conf", "`file` to write for the other containers of the pod")
	f.StringVar(&o.listen, "listen", "127.0.0.1:53", "`address` to answer at, by UDP and TCP")
	f.DurationVar(&o.timeout, "timeout", 2*time.Second, "how long to wait for each answer of a DNS server")
	f.DurationVar(&o.refresh, "refresh", 5*time.Second, "how often to look whether the channels have changed")
	f.BoolVar(&o.check, "check", false, "ask the resolver that runs at the address whether it is ready, and exit")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if o.timeout <= 0 || o.refresh <= 0 {
		fmt.Fprintln(stderr, "kumiki-resolver: a time has to be more than 0")
		return o, errors.New("usage")
	}
	if f.NArg() > 0 {
		fmt.Fprintf(stderr, "kumiki-resolver: unexpected argument %q\n", f.Arg(0))
		return o, errors.New("usage")
	}
	return o, nil
}

// run is main without the process: 0 is a proper end, 1 a failure, 2 wrong
// usage.
func run(ctx context.Context, args []string, stderr io.Writer) int {
	o, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	}
	if o.check {
		err = check(o.listen, o.out, o.timeout)
	} else {
		err = serve(ctx, o, stderr)
	}
	if err != nil {
		fmt.Fprintf(stderr, "kumiki-resolver: %v\n", err)
		return 1
	}
	return 0
}

// serve answers until the context ends. The file for the other containers is
// written last: they are started once it is there, and find a resolver at work.
func serve(ctx context.Context, o options, stderr io.Writer) error {
	channels, err := readChannels(o.channels)
	if err != nil {
		return err
	}
	conf, err := readResolvConf(o.resolv)
	if err != nil {
		return err
	}
	host, port, err := net.SplitHostPort(o.listen)
	if err != nil {
		return err
	}
	for _, server := range conf.servers {
		if server == host && port == dnsPort {
			return fmt.Errorf("%s: nameserver %s is this resolver itself", o.resolv, server)
		}
	}
	r := &resolver{search: conf.search, upstream: &upstream{servers: conf.addresses(), timeout: o.timeout, attempts: conf.attempts}}
	r.channels.Store(&channels)
	s, err := listen(ctx, o.listen, r)
	if err != nil {
		return err
	}
	if err := writeFile(o.out, conf.pointedAt(host)); err != nil {
		s.close()
		return err
	}
	go r.follow(ctx, o.channels, o.refresh, stderr)
	return s.run(ctx)
}

// follow reads the file of the channels again and again: it is a volume, and
// changes while the pod runs. A file that cannot be read changes nothing.
func (r *resolver) follow(ctx context.Context, file string, every time.Duration, stderr io.Writer) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	last := ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		channels, err := readChannels(file)
		if err == nil {
			r.channels.Store(&channels)
			last = ""
		} else if text := err.Error(); text != last {
			fmt.Fprintf(stderr, "kumiki-resolver: %s; what was read before still holds\n", text)
			last = text
		}
	}
}
