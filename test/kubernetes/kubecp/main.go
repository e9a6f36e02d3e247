// Command kubecp is a whole Kubernetes control plane for tests in one binary:
// etcd, kube-apiserver, kube-controller-manager, kube-scheduler and kubectl as
// they are, and kwok in place of nodes: it says that pods run, and runs none.
//
// The component is chosen by the name that the binary is started under (a link
// named "kube-apiserver") or by the first argument ("kubecp kubectl get pods").
// "kubecp up" starts all of them together.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	_ "time/tzdata" // For time zones of CronJobs.

	"github.com/spf13/pflag"
	"go.etcd.io/etcd/server/v3/etcdmain"
	_ "k8s.io/client-go/plugin/pkg/client/auth"
	"k8s.io/component-base/cli"
	"k8s.io/component-base/logs"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	kubectl "k8s.io/kubectl/pkg/cmd"
	kubectlutil "k8s.io/kubectl/pkg/cmd/util"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	kcm "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kwokconfig "sigs.k8s.io/kwok/pkg/config"
	kwok "sigs.k8s.io/kwok/pkg/kwok/cmd"
	kwoklog "sigs.k8s.io/kwok/pkg/log"
	kwoksignals "sigs.k8s.io/kwok/pkg/utils/signals"
)

// components are what the binary can be.
var components = map[string]func(){
	"etcd":                    func() { etcdmain.Main(os.Args) },
	"kube-apiserver":          func() { os.Exit(cli.Run(apiserver.NewAPIServerCommand())) },
	"kube-controller-manager": func() { os.Exit(cli.Run(kcm.NewControllerManagerCommand())) },
	"kube-scheduler":          func() { os.Exit(cli.Run(scheduler.NewSchedulerCommand())) },
	"kwok":                    runKwok,
	"kubectl":                 runKubectl,
	"up":                      runUp,
}

func main() {
	run, ok := components[filepath.Base(os.Args[0])]
	if !ok && len(os.Args) > 1 {
		run, ok = components[os.Args[1]]
		os.Args = os.Args[1:]
	}
	if !ok {
		fmt.Fprintln(os.Stderr, "usage: kubecp etcd|kube-apiserver|kube-controller-manager|kube-scheduler|kwok|kubectl|up [flags]")
		os.Exit(2)
	}
	run()
}

func runKubectl() {
	_, _ = logs.GlogSetter(kubectl.GetLogVerbosity(os.Args))
	if err := cli.RunNoErrOutput(kubectl.NewDefaultKubectlCommand()); err != nil {
		kubectlutil.CheckErr(err)
	}
}

// runKwok is the main function of sigs.k8s.io/kwok/cmd/kwok. The components of
// Kubernetes register global flags, among them a --version that is no boolean;
// kwok's command would inherit them, so it starts from an empty set.
func runKwok() {
	pflag.CommandLine = pflag.NewFlagSet("kwok", pflag.ContinueOnError)
	flagset := pflag.NewFlagSet("global", pflag.ContinueOnError)
	flagset.ParseErrorsAllowlist.UnknownFlags = true
	flagset.Usage = func() {}
	ctx := kwoksignals.SetupSignalContext()
	ctx, logger := kwoklog.InitFlags(ctx, flagset)
	ctx, err := kwokconfig.InitFlags(ctx, flagset)
	if err != nil {
		logger.Error("init config flags", "err", err)
		os.Exit(1)
	}
	command := kwok.NewCommand(ctx)
	command.PersistentFlags().AddFlagSet(flagset)
	if err := command.ExecuteContext(ctx); err != nil {
		logger.Error("exit", "err", err)
		os.Exit(1)
	}
}
