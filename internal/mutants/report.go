package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
)

// report writes what became of the mutants, and what those that no test notices
// look like. It reports whether none was left, or whether all were, where proofs
// are tried.
func report(w io.Writer, drawn []*mutant, verdicts []*verdict, proved bool) bool {
	order := make([]int, len(drawn))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(drawn[a].src.name, drawn[b].src.name), cmp.Compare(drawn[a].line, drawn[b].line))
	})
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	noticed := 0
	for _, i := range order {
		m, v := drawn[i], verdicts[i]
		if v.by != "" {
			noticed++
			by := v.by
			if v.how != "" {
				by += ", " + v.how
			}
			fmt.Fprintf(t, "%s\t%s\t%s\n", by, m.place(), m.key())
		}
	}
	t.Flush()
	fmt.Fprintf(w, "\nNoticed: %d. Not noticed: %d.\n", noticed, len(drawn)-noticed)
	for _, i := range order {
		if verdicts[i].by == "" {
			before, after := drawn[i].diff()
			fmt.Fprintf(w, "\n%s: %s\n\t%s\n\t- %s\n\t+ %s\n", drawn[i].place(), drawn[i].key(), verdicts[i].why(), before, after)
		}
	}
	if proved {
		return noticed == 0
	}
	return noticed == len(drawn)
}

// why is what is known of a mutant that no test has noticed.
func (v *verdict) why() string {
	switch {
	case v.reached == 0:
		return "no test comes by here"
	case v.differed == 0:
		return tests(v.reached) + " by here, and it makes no difference to any"
	}
	return fmt.Sprintf("%s by here, and it makes a difference to %d, but all pass", tests(v.reached), v.differed)
}

func tests(n int) string {
	if n == 1 {
		return "1 test comes"
	}
	return fmt.Sprintf("%d tests come", n)
}
