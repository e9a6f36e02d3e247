package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kumiki.dev/query"
	"kumiki.dev/run/compile"
	"kumiki.dev/run/record"
	"kumiki.dev/run/store"
)

// BenchmarkManager measures a server that keeps KUMIKI_DEPLOYMENTS deployments of five manifests
// each: its memory, how long it takes to be ready, and how long requests take.
func BenchmarkManager(b *testing.B) {
	n, err := strconv.Atoi(os.Getenv("KUMIKI_DEPLOYMENTS"))
	if err != nil {
		b.Fatal("KUMIKI_DEPLOYMENTS says how many: run make bench-manager")
	}
	d := newDaemon(b)
	digest := d.upload(hello)
	d.kill()
	fill(b, filepath.Join(d.dir, "state"), digest, n)
	began := time.Now()
	d.start()
	for {
		if r, err := d.try("GET", "/readyz", nil); err == nil && r.status == 200 {
			break
		}
	}
	b.ReportMetric(time.Since(began).Seconds(), "s-until-ready")
	b.ReportMetric(d.resident(), "MB-at-start")
	b.ReportMetric(median(times(20, func(int) { d.ask(200, "GET", "/v1/deployments?limit=100", nil) })), "ms-list-page")
	b.ReportMetric(times(1, func(int) { d.ask(200, "GET", "/v1/types", nil) })[0], "ms-types-first")
	b.ReportMetric(median(times(5, func(int) { d.ask(200, "GET", "/v1/types", nil) })), "ms-types")
	b.ReportMetric(median(times(5, func(int) { d.ask(200, "GET", "/v1/types/*/instances", nil) })), "ms-instances")
	b.ReportMetric(d.idle(30*time.Second), "%-core-idle")
	took := times(200, func(i int) {
		d.ask(202, "POST", "/v1/deployments", m{"name": fmt.Sprintf("new-%d", i), "input": m{"bundle": digest}})
	})
	slices.Sort(took)
	b.ReportMetric(took[len(took)/2], "ms-create-p50")
	b.ReportMetric(took[len(took)*99/100], "ms-create-p99")
	b.ReportMetric(d.resident(), "MB-at-end")
	b.ReportMetric(0, "ns/op")
}

// idle is how many hundredths of a core the server takes while nobody asks it anything.
func (d *daemon) idle(lasts time.Duration) float64 {
	time.Sleep(5 * time.Second) // what was asked before has its garbage
	before := d.processor()
	time.Sleep(lasts)
	return 100 * (d.processor() - before).Seconds() / lasts.Seconds()
}

// times are how many milliseconds each of n calls takes.
func times(n int, f func(int)) (out []float64) {
	for i := range n {
		began := time.Now()
		f(i)
		out = append(out, float64(time.Since(began).Microseconds())/1000)
	}
	return out
}

func median(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}

// resident is how many megabytes the server has in memory.
func (d *daemon) resident() float64 {
	d.t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", d.cmd.Process.Pid))
	require.NoError(d.t, err)
	_, text, _ := strings.Cut(string(data), "VmRSS:")
	kb, err := strconv.ParseFloat(strings.Fields(text)[0], 64)
	require.NoError(d.t, err)
	return kb / 1024
}

// fill writes n deployments, as they are after five operations each.
func fill(b *testing.B, dir, digest string, n int) {
	b.Helper()
	c, err := compile.New(b.Context(), os.Getenv("KUMIKI"), compile.Limits{})
	require.NoError(b, err)
	bundle := bundle(b, hello)
	s, err := store.Open(b.Context(), store.Options{Dir: dir})
	require.NoError(b, err)
	defer s.Close()
	made, err := c.Compile(b.Context(), bundle, "hello", nil)
	require.NoError(b, err)
	facts := query.FactsOf(made.Solution)
	var wg sync.WaitGroup
	for w := range 32 {
		wg.Go(func() {
			for i := w; i < n; i += 32 {
				name := fmt.Sprintf("d-%06d", i)
				facts := facts
				facts.Solution = name
				if err := one(b, s, name, digest, facts); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// one writes a deployment with five manifests.
func one(b *testing.B, s *store.Store, name, digest string, facts query.Facts) error {
	now := time.Now().UTC()
	solution := store.Digest([]byte(name))
	writes := []store.Write{
		store.Put(record.Deployments+name, record.Deployment{Name: name, Environment: "local", Labels: map[string]string{"stage": "test"}, Manifest: 5, Last: 5, Operation: name, Created: now, Changed: now}, 0),
		store.Put(record.Statuses+name, record.Status{Deployment: name, Applied: 5, Conditions: []record.Condition{{Type: "Applied", Status: "True", Manifest: 5, Since: now}, {Type: "Healthy", Status: "True", Manifest: 5, Since: now}}}, 0),
		store.Put(record.Facts+solution, facts, 0),
	}
	for i := range 5 {
		id := fmt.Sprintf("%s-%d", name, i)
		writes = append(writes, store.Put(record.ManifestKey(name, i+1), record.Manifest{Deployment: name, Number: i + 1, Verb: record.Update, Input: record.Input{Bundle: digest, Sets: []string{"config.scale.hsize=2"}}, Solution: solution, Artifact: facts.Instances[0].Type, Operation: id, By: "admin", Created: now}, 0),
			store.Put(record.Operations+id, record.Operation{ID: id, Deployment: name, Verb: record.Update, Manifest: i + 1, Phase: record.Ended, Done: true, Started: now, Ended: &now, Deadline: now,
				Steps: []record.Step{{Action: "change", Object: "Deployment/hello-hello", Place: "hello/hello"}}}, 0))
	}
	_, err := s.Commit(b.Context(), writes...)
	return err
}
