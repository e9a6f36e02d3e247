package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"kumiki.dev/internal/benchapp"
)

// matrixRun measures what many templates and environments take.
type matrixRun struct {
	size   int    // templates, and environments
	roles  int    // of each solution
	sample int    // solutions that are made one at a time
	page   string // to write the table into, "" for none
}

// Markers of the part of a page that a run writes.
const (
	beginMatrix = "<!-- written by make bench-matrix -->\n"
	endMatrix   = "<!-- end of what make bench-matrix writes -->\n"
)

// matrixRow is a line of the table.
type matrixRow struct {
	what string
	took took
	most string
	load string
}

func (m matrixRun) run(t tools) error {
	root := filepath.Join(t.dir, "company")
	if err := benchapp.Company(m.size, m.size, m.roles).Write(root); err != nil {
		return err
	}
	var rows []matrixRow
	measure := func(what, most string, scale float64, commands ...[]string) error {
		load := loadAverage()
		sum := took{}
		for _, command := range commands {
			now, err := t.run(contender{name: what, dir: "company", command: command, limit: time.Hour}, t.dir)
			if err != nil {
				return err
			}
			sum = took{sum.Wall + now.Wall*scale, sum.CPU + now.CPU*scale, max(sum.Peak, now.Peak)}
		}
		rows = append(rows, matrixRow{what, sum, most, load + " to " + loadAverage()})
		fmt.Fprintf(os.Stderr, "%s: %.1f s of wall clock, %.1f s of processor time, %.0f MB, load %s\n", what, sum.Wall, sum.CPU, sum.Peak/1024, rows[len(rows)-1].load)
		return nil
	}
	if err := os.MkdirAll(filepath.Join(t.dir, "cache"), 0o755); err != nil {
		return err
	}
	all := []string{"kumiki", "matrix", "-q", "--out", "../deployed"}
	cells := m.size * m.size
	if err := measure(fmt.Sprintf("`kumiki matrix --out`, %d solutions of %d roles", cells, m.roles), "60 s, 1 GB", 1, all); err != nil {
		return err
	}
	if err := change(filepath.Join(root, "templates", "t000.cue")); err != nil {
		return err
	}
	if err := measure("the same after a change of one template", "2 s", 1, all); err != nil {
		return err
	}
	if err := measure("the same without a change", "", 1, all); err != nil {
		return err
	}
	n := min(m.sample, cells)
	scale := float64(cells) / float64(n)
	if err := measure(fmt.Sprintf("a loop over `kumiki render`, %d of them, scaled", n), "", scale, m.renders(n)...); err != nil {
		return err
	}
	if helm, err := exec.LookPath("helm"); err == nil {
		if err := os.Symlink(helm, t.bin("helm")); err != nil {
			return err
		}
		if err := benchapp.Chart(m.roles).Write(filepath.Join(root, "chart")); err != nil {
			return err
		}
		if err := measure(fmt.Sprintf("a loop over `helm template`, %d of them, scaled", n), "", scale, m.helms(n)...); err != nil {
			return err
		}
	}
	if err := benchapp.Company(m.size, 10*m.size, m.roles).Write(root); err != nil {
		return err
	}
	if err := measure(fmt.Sprintf("`kumiki order --env`: %d templates and %d environments read and placed", m.size, 10*m.size), "2 s", 1, []string{"kumiki", "order", "--env", "e000"}); err != nil {
		return err
	}
	return m.write(rows)
}

// renders are the commands that make as many solutions one at a time.
func (m matrixRun) renders(n int) (out [][]string) {
	for i := range n {
		out = append(out, []string{"kumiki", "render", fmt.Sprintf("templates/t%03d.cue", i%m.size), "--env", fmt.Sprintf("e%03d", (i*7)%m.size)})
	}
	return out
}

// helms are the commands that make as many releases of a chart.
func (m matrixRun) helms(n int) (out [][]string) {
	for i := range n {
		out = append(out, []string{"helm", "template", fmt.Sprintf("t%03d", i%m.size), "chart", "--set", fmt.Sprintf("p00=of e%03d", (i*7)%m.size)})
	}
	return out
}

// change gives the objects of a template another label.
func change(name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	return os.WriteFile(name, []byte(strings.Replace(string(text), "team: \"", "team: \"new", 1)), 0o644)
}

// loadAverage is that of the last minute.
func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(text), " ")
	return first
}

// write prints the table, and writes it into the page.
func (m matrixRun) write(rows []matrixRow) error {
	var b strings.Builder
	b.WriteString("| what | at most | wall clock | processor time | peak | load of the machine |\n|---|---:|---:|---:|---:|---:|\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %s | %.1f s | %.1f s | %.0f MB | %s |\n", r.what, r.most, r.took.Wall, r.took.CPU, r.took.Peak/1024, r.load)
	}
	fmt.Print(b.String())
	if m.page == "" {
		return nil
	}
	return writeBetween(m.page, beginMatrix, endMatrix, b.String())
}
