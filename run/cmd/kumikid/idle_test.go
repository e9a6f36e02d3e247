package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// counter is what a server counts by a name, in all.
func (d *daemon) counter(name string) (sum float64) {
	d.t.Helper()
	for line := range strings.Lines(string(d.ask(200, "GET", "/metrics", nil).body)) {
		of, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if of, _, _ = strings.Cut(of, "{"); of == name {
			n, err := strconv.ParseFloat(value, 64)
			require.NoError(d.t, err, line)
			sum += n
		}
	}
	return sum
}

// processor is how long the server has had a processor.
func (d *daemon) processor() time.Duration {
	d.t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", d.cmd.Process.Pid))
	require.NoError(d.t, err)
	fields := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+2:]))
	var ticks int
	for _, f := range fields[11:13] { // in the program, and in the kernel for it
		n, err := strconv.Atoi(f)
		require.NoError(d.t, err)
		ticks += n
	}
	return time.Duration(ticks) * time.Second / 100
}

// TestIdle: a server that nobody asks anything asks its store next to nothing, and writes nothing.
func TestIdle(t *testing.T) {
	t.Parallel()
	d := newDaemon(t)
	d.make("shop")
	time.Sleep(2 * time.Second) // what follows an operation
	reads, writes := d.counter("etcd_mvcc_range_total"), d.counter("etcd_mvcc_put_total")
	require.Positive(t, writes)
	time.Sleep(12 * time.Second)
	require.Less(t, d.counter("etcd_mvcc_range_total")-reads, 10.0, "the token of the question itself is one")
	require.Equal(t, writes, d.counter("etcd_mvcc_put_total"))
}
