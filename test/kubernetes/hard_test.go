package kubernetes

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kumiki.dev/test/kubernetes/kubetest"
)

// helloWith is the solution of hello with other texts in its deployment.
func (l *lively) helloWith(t *testing.T, pairs ...string) string {
	t.Helper()
	dir := copyOf(t, "hello")
	for i := 0; i < len(pairs); i += 2 {
		edit(t, filepath.Join(dir, "deploy/deployment.cue"), pairs[i], pairs[i+1])
	}
	return l.compile(t, filepath.Join(dir, "deploy"))
}

// TestLiveRollback: a version that does not become healthy gives way to the one before.
func TestLiveRollback(t *testing.T) {
	t.Parallel()
	l := newLively(t, root+"/examples/hello/deploy")
	l.run(t, "apply", l.file)
	l.Kubectl(t, []byte("apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: none}\nspec: {hard: {pods: \"1\"}}\n"), "apply", "-n", l.namespace, "-f", "-")
	require.Eventually(t, func() bool {
		return l.Kubectl(t, nil, "get", "resourcequota/none", "-n", l.namespace, "-o", "jsonpath={.status.used.pods}") == "1"
	}, time.Minute, 50*time.Millisecond)
	next := l.helloWith(t, `"world"`, `"moon"`)
	code, out := l.try(t, "apply", next, "--rollback-on-failure", "--timeout", "4s")
	require.Equal(t, 7, code, out)
	require.Contains(t, out, "hello/hello is not healthy: ")
	require.Contains(t, out, "exceeded quota: none")
	require.Contains(t, out, "hello goes back to what ran before\n")
	require.NotContains(t, out, "resumed", "what was written is in the inventory")
	require.Contains(t, out, "hello is applied to namespace "+l.namespace)
	require.Contains(t, l.run(t, "drift", l.file), "hello: no drift\n", "what runs is the version before")
	l.Count()
	require.Contains(t, l.run(t, "apply", l.file), "nothing to do")
	l.untouched(t)
}

// TestLiveKeepGoing: where an object cannot be written after all, what comes after it is
// written only when that is said; the next apply does the rest.
func TestLiveKeepGoing(t *testing.T) {
	t.Parallel()
	l := newLively(t, root+"/examples/hello/deploy")
	lost := func(r kubetest.Request) bool {
		return !(r.IsWrite() && strings.HasSuffix(r.Path, "/services/hello-hello-web"))
	}
	for _, keep := range []bool{false, true} {
		args := []string{"apply", l.file}
		if keep {
			args = append(args, "--keep-going")
		}
		l.Stop(lost, nil)
		code, out := l.try(t, args...)
		l.Stop(nil, nil)
		require.Equal(t, 6, code, out)
		require.Contains(t, out, "not all could be done; the next run goes on:\nService/hello-hello-web: ")
		require.Equal(t, keep, strings.Contains(out, "created: Deployment/hello-hello"), out)
	}
	out := l.run(t, "apply", l.file)
	require.Contains(t, out, "created: Service/hello-hello-web")
	require.NotContains(t, out, "created: Deployment/hello-hello", "it is there already")
	require.NotContains(t, out, "adopted", "what was written is in the inventory")
	require.NotContains(t, out, "resumed", "what was written is in the inventory")
	l.run(t, "delete", "hello")
	require.Empty(t, l.ours(t))
}

// TestLiveParts: a record that one ConfigMap cannot hold is in several, which go with it;
// killed at each write, no part is left behind and none is missing.
func TestLiveParts(t *testing.T) {
	t.Parallel()
	l := newLively(t, root+"/examples/hello/deploy")
	large := func() string {
		noise := make([]byte, 300<<10)
		_, _ = rand.Read(noise)
		return l.helloWith(t, `config: parameter: who: "world"`, fmt.Sprintf(`config: parameter: who: "world"
	objects: {
		one: {apiVersion: "v1", kind: "ConfigMap", metadata: name: "large-one", data: text: %q}
		two: {apiVersion: "v1", kind: "ConfigMap", metadata: name: "large-two", data: text: %q}
	}`, hex.EncodeToString(noise), hex.EncodeToString(noise[:200<<10])))
	}
	parts := func() int {
		return len(l.list(t, "configmaps", "-l", "kumiki.dev/inventory=part"))
	}
	l.run(t, "apply", large())
	require.GreaterOrEqual(t, parts(), 2)
	require.Equal(t, "hello: no drift\n", l.run(t, "drift", "hello"))
	before := parts()
	next, other := large(), large()
	l.Count()
	l.run(t, "apply", next)
	_, writes, _ := l.Count()
	require.Equal(t, before, parts(), "parts of the record before are gone")
	for _, n := range []int{2, writes} {
		l.killed(t, n, n%2 == 0, "apply", other)
		l.run(t, "apply", next)
		require.Equal(t, before, parts(), "killed at write %d", n)
		require.Equal(t, "hello: no drift\n", l.run(t, "drift", "hello"))
	}
	l.run(t, "apply", l.file)
	require.Zero(t, parts(), "a small record has none")
	l.run(t, "delete", "hello")
	require.Empty(t, l.ours(t))
}

// TestLiveKinds: kinds that the solution itself defines, and objects of them, from nothing
// and back.
func TestLiveKinds(t *testing.T) {
	t.Parallel()
	l := newLively(t, root+"/examples/hello/deploy")
	group := "g" + hex.EncodeToString([]byte(l.namespace))[:12] + ".example.com"
	objects := fmt.Sprintf(`config: parameter: who: "world"
	objects: {
		definition: {
			apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata: name: "things.%[1]s"
			spec: {
				group: %[1]q, scope: "Namespaced", names: {kind: "Thing", plural: "things"}
				versions: [{name: "v1", served: true, storage: true, schema: openAPIV3Schema: {type: "object", properties: spec: {type: "object", properties: size: type: "integer"}}}]
			}
		}
		thing: {apiVersion: "%[1]s/v1", kind: "Thing", metadata: name: "one", spec: size: 1}
	}`, group)
	file := l.helloWith(t, `config: parameter: who: "world"`, objects)
	out := l.run(t, "apply", file)
	require.Contains(t, out, "created: Thing."+group+"/one")
	l.Count()
	require.Contains(t, l.run(t, "apply", file), "nothing to do")
	l.untouched(t)
	l.Kubectl(t, nil, "patch", "things."+group+"/one", "-n", l.namespace, "--type=merge", "-p", `{"spec":{"size":2}}`)
	code, out := l.try(t, "drift", "hello")
	require.Equal(t, 4, code)
	require.Contains(t, out, "spec.size: 2, was 1, by kubectl-patch")
	l.run(t, "apply", l.helloWith(t, `config: parameter: who: "world"`, strings.Replace(objects, "size: 1", "size: 3", 1)))
	require.Equal(t, "3", l.Kubectl(t, nil, "get", "things."+group+"/one", "-n", l.namespace, "-o", "jsonpath={.spec.size}"))
	code, out = l.try(t, "delete", "hello")
	require.Equal(t, 0, code, out)
	require.Empty(t, l.ours(t))
	_, _, err := l.Try(nil, "get", "crd/things."+group)
	require.Equal(t, strings.Contains(out, "remove: CustomResourceDefinition"), err != nil, out)
	l.Try(nil, "delete", "crd/things."+group)
}

// TestLiveDropped: a field that an admission webhook takes away is told once as a loss, and is
// no drift.
func TestLiveDropped(t *testing.T) {
	t.Parallel()
	l := newLively(t, root+"/examples/hello/deploy")
	l.webhook(t, `[{"op":"remove","path":"/spec/template/metadata/annotations"}]`)
	out := l.run(t, "apply", l.file)
	require.Contains(t, out, "[lost/by-cluster]")
	require.Contains(t, out, "Deployment/hello-hello: the cluster has dropped spec.template.metadata.annotations")
	require.Equal(t, "hello: no drift\n", l.run(t, "drift", "hello"))
	l.Count()
	out = l.run(t, "apply", l.file)
	require.Contains(t, out, "nothing to do")
	require.NotContains(t, out, "lost/by-cluster")
	l.untouched(t)
	out = l.run(t, "apply", l.helloWith(t, `"world"`, `"moon"`))
	require.NotContains(t, out, "lost/by-cluster", "it was told")
}

// webhook lets the API server ask for a patch of each Deployment of the namespace.
func (l *lively) webhook(t *testing.T, patch string) {
	t.Helper()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var review struct {
			Request struct {
				UID    string `json:"uid"`
				Object struct {
					Spec struct {
						Template struct {
							Metadata struct{ Annotations map[string]string } `json:"metadata"`
						} `json:"template"`
					} `json:"spec"`
				} `json:"object"`
			} `json:"request"`
		}
		_ = json.NewDecoder(r.Body).Decode(&review)
		answer := map[string]any{"uid": review.Request.UID, "allowed": true}
		if review.Request.Object.Spec.Template.Metadata.Annotations != nil {
			answer["patchType"], answer["patch"] = "JSONPatch", base64.StdEncoding.EncodeToString([]byte(patch))
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": answer})
	}))
	certificate, ca := selfSigned(t)
	server.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}}
	server.StartTLS()
	t.Cleanup(server.Close)
	hook := fmt.Sprintf(`{"apiVersion":"admissionregistration.k8s.io/v1","kind":"MutatingWebhookConfiguration","metadata":{"name":%[1]q},"webhooks":[{
"name":"drops.example.com","admissionReviewVersions":["v1"],"sideEffects":"None","timeoutSeconds":10,"failurePolicy":"Fail",
"namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":%[1]q}},
"rules":[{"apiGroups":["apps"],"apiVersions":["v1"],"operations":["CREATE","UPDATE"],"resources":["deployments"]}],
"clientConfig":{"url":%[2]q,"caBundle":%[3]q}}]}`, l.namespace, server.URL, base64.StdEncoding.EncodeToString(ca))
	l.Kubectl(t, []byte(hook), "apply", "-f", "-")
	t.Cleanup(func() { l.Kubectl(t, nil, "delete", "mutatingwebhookconfiguration/"+l.namespace) })
	time.Sleep(2 * time.Second) // the API server learns of it by a watch
}

func selfSigned(t *testing.T) (tls.Certificate, []byte) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "hook"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

// TestLiveStuck: a finalizer that nobody takes away is told as what a delete waits for, and
// the next one goes on.
func TestLiveStuck(t *testing.T) {
	t.Parallel()
	l := newLively(t, root+"/examples/hello/deploy")
	l.run(t, "apply", l.file)
	finalizer := func(value string) {
		l.Kubectl(t, nil, "patch", "service/hello-hello-web", "-n", l.namespace, "--type=merge", "-p", `{"metadata":{"finalizers":`+value+`}}`)
	}
	finalizer(`["example.com/stuck"]`)
	code, out := l.try(t, "delete", "hello", "--timeout", "3s")
	require.Equal(t, 7, code, out)
	require.Contains(t, out, "Service/hello-hello-web does not go: its finalizers are not done: example.com/stuck [live/blocked]")
	code, out = l.try(t, "apply", l.file, "--timeout", "2s")
	require.Equal(t, 7, code, out)
	require.Contains(t, out, "example.com/stuck", "nothing is made beside what is on its way out")
	finalizer(`null`)
	l.run(t, "delete", "hello")
	require.Empty(t, l.ours(t))
}

// TestLiveDamaged: an inventory that somebody has changed by hand is told with what makes it anew,
// and nothing that runs is touched by that.
func TestLiveDamaged(t *testing.T) {
	t.Parallel()
	l := newLively(t, root+"/examples/hello/deploy")
	l.run(t, "apply", l.file)
	inventory := func(args ...string) {
		l.Kubectl(t, nil, append([]string{args[0], "configmap/hello-inventory", "-n", l.namespace}, args[1:]...)...)
	}
	inventory("label", "kumiki.dev/inventory-")
	require.Contains(t, l.run(t, "status"), "nothing that kumiki apply has made")
	l.run(t, "apply", l.file)
	require.Contains(t, l.run(t, "status"), "hello/hello", "it is listed again")
	uid := func() string {
		return l.Kubectl(t, nil, "get", "deployment/hello-hello", "-n", l.namespace, "-o", "jsonpath={.metadata.uid} {.metadata.generation}")
	}
	before := uid()
	l.run(t, "apply", l.compile(t, root+"/examples/hello/deploy", "--name", "other"))
	inventory("patch", "--type=merge", "-p", `{"binaryData":{"record":"AAAA"}}`)
	l.Count()
	for _, args := range [][]string{{"status"}, {"drift"}, {"apply", l.file}, {"restart", "hello"}, {"delete", "hello"}} {
		code, out := l.try(t, args...)
		require.Equal(t, 3, code, out)
		require.Contains(t, out, "the inventory, ConfigMap/hello-inventory, cannot be read: it is damaged: ")
		require.Contains(t, out, "kubectl delete configmap/hello-inventory -n "+l.namespace+" and then kumiki apply DIR")
	}
	_, out := l.try(t, "status")
	require.Contains(t, out, "other/hello", "what can be read is told")
	require.Contains(t, l.run(t, "status", "other"), "other/hello")
	l.untouched(t)
	inventory("delete")
	require.Contains(t, l.run(t, "apply", l.file), "adopted: Deployment/hello-hello")
	require.Equal(t, before, uid(), "it runs as before")
	require.Equal(t, "hello: no drift\nother: no drift\n", l.run(t, "drift"))
}

// TestLiveMissing: what is named and not there is a mistake in the command line, with what there is.
func TestLiveMissing(t *testing.T) {
	t.Parallel()
	l := newLively(t, root+"/examples/hello/deploy")
	require.Contains(t, l.run(t, "drift"), "nothing that kumiki apply has made runs in namespace "+l.namespace)
	l.run(t, "apply", l.file)
	l.run(t, "stop", "hello")
	l.Count()
	for args, says := range map[string]string{
		"drain nope": "there is no node nope; there are ", "move node-1 --to nope": "there is no node nope; there are ",
		"restart hello/nope": "it has hello/hello", "status nope": "nope: no such solution runs in namespace ",
		"restart hello/hello": "hello is stopped: kumiki start hello lets it run", "start hello/hello": "all of hello is stopped: kumiki start hello",
		"logs hello": "hello/hello: there are no instances",
	} {
		code, out := l.try(t, strings.Fields(args)...)
		require.Equal(t, 2, code, "%s\n%s", args, out)
		require.Contains(t, out, says, args)
	}
	l.untouched(t)
}

// TestLiveEnvironments: two environments in one namespace do not take each other's solutions.
func TestLiveEnvironments(t *testing.T) {
	t.Parallel()
	l := newLively(t, root+"/examples/hello/deploy")
	dir := copyOf(t, "hello")
	require.NoError(t, os.Mkdir(filepath.Join(dir, "environments"), 0o755))
	for _, name := range []string{"staging", "prod"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "environments", name+".cue"), fmt.Appendf(nil,
			"package environment\n\n#Environment: {name: %q, target: \"kubernetes\", namespace: %q}\n", name, l.namespace), 0o644))
	}
	deploy := filepath.Join(dir, "deploy")
	l.run(t, "apply", deploy, "--env", "staging")
	l.Count()
	code, out := l.try(t, "apply", deploy, "--env", "prod")
	require.Equal(t, 5, code, out)
	require.Contains(t, out, "hello in namespace "+l.namespace+" of between is environment staging's; say --adopt to make it that of prod, or call the deployment otherwise (--name) [live/foreign]")
	l.untouched(t)
	l.run(t, "apply", deploy, "--env", "prod", "--name", "hello-prod")
	require.Contains(t, l.run(t, "apply", deploy, "--env", "staging"), "hello: nothing to do")
	l.run(t, "delete", "hello")
	require.Contains(t, l.run(t, "drift"), "hello-prod: no drift")
	l.run(t, "apply", deploy, "--env", "prod")
	l.run(t, "apply", deploy, "--env", "staging", "--adopt")
	require.Contains(t, l.run(t, "apply", deploy, "--env", "staging"), "hello: nothing to do")
}

// TestLiveTwo: of two people who apply at once one is told of the other, and what runs is what one
// of them has applied.
func TestLiveTwo(t *testing.T) {
	t.Parallel()
	l := newLively(t, root+"/examples/hello/deploy")
	l.run(t, "apply", l.file)
	other := l.helloWith(t, `"world"`, `"moon"`)
	var once sync.Once
	l.Stop(func(r kubetest.Request) bool {
		if r.IsWrite() { // the first one is about to write its record
			once.Do(func() { l.Kubectl(t, nil, "annotate", "configmap/hello-inventory", "-n", l.namespace, "by=somebody") })
		}
		return true
	}, nil)
	code, out := l.try(t, "apply", other)
	l.Stop(nil, nil)
	require.Equal(t, 5, code, out)
	require.Contains(t, out, "solution hello: somebody else is changing it at the same time: look at it and try again")
	require.Equal(t, "hello: no drift\n", l.run(t, "drift", "hello"), "nothing was written")
	require.Contains(t, l.run(t, "apply", other), "changed: Deployment/hello-hello")
}

// TestLiveAsked: a person at a terminal is asked, and types the name of a volume whose data
// would be lost.
func TestLiveAsked(t *testing.T) {
	t.Parallel()
	l := newLively(t, shop+"/deploy")
	out, code := l.typed(t, map[string]string{`Apply shop to namespace .*\? \[y/N\] `: "n\n"}, "apply", l.file)
	require.Equal(t, 1, code, out)
	require.Contains(t, out, "nothing was changed")
	require.Empty(t, l.ours(t))
	out, code = l.typed(t, map[string]string{`Apply shop to namespace .*\? \[y/N\] `: "y\n"}, "apply", l.file)
	require.Equal(t, 0, code, out)
	without := l.withoutData(t)
	const question = `Type the volume's name, \S+, if that is meant: `
	out, code = l.typed(t, map[string]string{question: "yes\n"}, "apply", without)
	require.Equal(t, 2, code, out)
	require.Contains(t, out, "nothing was changed")
	volume := regexp.MustCompile(`volume's name, (\S+), if`).FindStringSubmatch(out)
	require.NotNil(t, volume, out)
	require.Contains(t, l.run(t, "drift", l.file), "shop: no drift\n")
	out, code = l.typed(t, map[string]string{question: volume[1] + "\n", `\[y/N\] `: "y\n"}, "apply", without)
	require.Equal(t, 0, code, out)
}

// withoutData is the shop with another volume in the place of its database's.
func (l *lively) withoutData(t *testing.T) string {
	t.Helper()
	dir := copyOf(t, "shop")
	edit(t, filepath.Join(dir, "deploy/deployment.cue"), `"shop-db"`, `"shop-db-2"`)
	return l.compile(t, filepath.Join(dir, "deploy"))
}

// typed runs a command at a terminal, and types an answer when a question has come.
func (l *lively) typed(t *testing.T, answers map[string]string, args ...string) (string, int) {
	t.Helper()
	terminal, person := newTerminal(t)
	cmd := l.command(args...)
	cmd.Env = append(cmd.Env, "TERM=xterm")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = terminal, terminal, terminal
	require.NoError(t, cmd.Start())
	require.NoError(t, terminal.Close())
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
	var out strings.Builder
	buffer := make([]byte, 4096)
	for {
		n, err := person.Read(buffer)
		out.Write(buffer[:n])
		for question, answer := range answers {
			if regexp.MustCompile(question).MatchString(out.String()) {
				delete(answers, question)
				_, _ = person.WriteString(answer)
			}
		}
		if err != nil { // its other end is closed
			break
		}
	}
	_ = cmd.Wait()
	require.Empty(t, answers, "nobody asked:\n%s", &out)
	return strings.ReplaceAll(out.String(), "\r\n", "\n"), cmd.ProcessState.ExitCode()
}

// TestLiveSeveral: several solutions in which nothing has changed take one list for each kind,
// and of those that have changed one alone is written.
func TestLiveSeveral(t *testing.T) {
	t.Parallel()
	l := newLively(t, root+"/examples/hello/deploy")
	both := func(hello string, others ...string) []string { return append([]string{"apply", hello}, others...) }
	var others []string
	for _, name := range []string{"one", "two", "three"} {
		others = append(others, l.compile(t, root+"/examples/hello/deploy", "--name", name))
	}
	l.run(t, both(l.file, others...)...)
	l.Count()
	out := l.run(t, both(l.file, others...)...)
	require.Equal(t, 4, strings.Count(out, ": nothing to do\n"), out)
	all, writes, tries := l.Count()
	require.Zero(t, writes+tries)
	require.LessOrEqual(t, all, 5, "the inventories, and a list for each of four kinds")
	out = l.run(t, both(l.helloWith(t, `"world"`, `"moon"`), others...)...)
	require.Equal(t, 3, strings.Count(out, ": nothing to do\n"), out)
	require.Contains(t, out, "changed: Deployment/hello-hello (hello/hello)\n")
	_, writes, tries = l.Count()
	require.Equal(t, 2+tries, writes)
	require.Contains(t, l.run(t, "drift"), "hello: no drift\n")
	l.repairsOne(t)
}

// repairsOne: of several solutions only what is not as it was made is made again, tried and written.
func (l *lively) repairsOne(t *testing.T) {
	l.Kubectl(t, nil, "scale", "-n", l.namespace, "deployment/one-hello", "--replicas=3")
	l.Count()
	code, out := l.try(t, "drift")
	require.Equal(t, 4, code, out)
	all, _, _ := l.Count()
	require.LessOrEqual(t, all, 6, "the inventories, a list for each of four kinds, and autoscalers")
	out = l.run(t, "drift", "--repair")
	require.Contains(t, out, "repaired: Deployment/one-hello (one/hello)\n")
	require.Equal(t, 1, strings.Count(out, " is applied to "))
	_, writes, tries := l.Count()
	require.Equal(t, []int{1 + 2, 1}, []int{writes, tries}, "the workload, and the inventory before and after")
	l.run(t, "status")
	all, _, _ = l.Count()
	require.LessOrEqual(t, all, 5+4, "the inventories, a list for each of four kinds, and the pods of each solution")
}
