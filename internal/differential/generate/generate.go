// Package generate makes up applications for comparing kumiki with CUE: of a few
// small components and services and a deployment, written as engineers write
// CUE, and some of them with a mistake. What comes out depends on the seed alone.
package generate

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// App is an application that was made up.
type App struct {
	// Files are the module's, in the native style.
	Files map[string]string
	// Kam says that the module is to be tried in kam style, Generated that it has
	// the files that the vendor's tool generates.
	Kam, Generated bool
	// Values are files of values by name, Sets are texts for --set.
	Values []Values
	Sets   []string
	// Uses are the constructs of CUE and of the model in it.
	Uses []string
	// Mistake is what was done wrong on purpose, "" for nothing.
	Mistake string
	// Holes says that something may not be there with another config, though a role
	// needs it.
	Holes bool
}

// Values is a file of values.
type Values struct{ Name, Text string }

// Make returns the application of a seed.
func Make(seed uint64) App {
	g := &gen{Rand: rand.New(rand.NewPCG(seed, 1)), aside: rand.New(rand.NewPCG(seed, 2)), files: map[string]string{}, uses: map[string]bool{}, names: map[string]int{}}
	g.wrong = g.chance(40)
	g.slips = g.IntN(12)
	g.app()
	return App{Files: g.files, Kam: g.kam, Generated: g.generated, Values: g.values, Sets: g.sets, Uses: slices.Sorted(maps.Keys(g.uses)), Mistake: g.mistake, Holes: g.holes}
}

// Open marks the structs of config that a kam-style module leaves open. It is an
// attribute, which means nothing.
const Open = "@open()"

// gen is the state of one [Make].
type gen struct {
	*rand.Rand
	aside *rand.Rand // of what was added later, so that all else is drawn as before
	files map[string]string
	uses  map[string]bool
	names map[string]int

	kam       bool // whether it is in kam style
	generated bool // with the generated files
	parents   bool // whether components have a file above their directories
	values    []Values
	sets      []string

	wrong   bool // whether a mistake is to be made
	slips   int  // how many chances for one pass first
	mistake string
	holes   bool
}

// chance reports true in so many of a hundred cases.
func (g *gen) chance(percent int) bool { return g.IntN(100) < percent }

// one is one of several.
func one[T any](g *gen, of ...T) T { return of[g.IntN(len(of))] }

// use notes that a construct is in the application.
func (g *gen) use(constructs ...string) {
	for _, c := range constructs {
		g.uses[c] = true
	}
}

// slip reports whether to make a mistake here; it is made once.
func (g *gen) slip(mistake string) bool {
	if !g.wrong || g.mistake != "" {
		return false
	}
	g.slips--
	if g.slips > 0 {
		return false
	}
	g.mistake = mistake
	return true
}

// name is a new name.
func (g *gen) name(stem string) string {
	g.names[stem]++
	return fmt.Sprintf("%s%d", stem, g.names[stem])
}

// indented puts a tab before each line that is not blank. Multi-line strings stay
// what they are: their last line tells how far they are indented.
func indented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			b.WriteByte('\t')
		}
		b.WriteString(line)
	}
	return b.String()
}
