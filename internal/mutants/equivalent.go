package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// proof is why a mutant does what the original does.
type proof struct {
	key, reason string
	line        int
}

// readProofs reads a file of them: a key alone on its line, the reason below it,
// indented. Lines that begin with # are comments.
func readProofs(name string) ([]proof, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var out []proof
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		switch line = strings.TrimRight(line, "\n"); {
		case line == "" || strings.HasPrefix(line, "#"):
		case !strings.HasPrefix(line, "\t"):
			out = append(out, proof{key: line, line: n})
		case len(out) == 0:
			return nil, fmt.Errorf("%s:%d: a reason without a mutant", name, n)
		default:
			p := &out[len(out)-1]
			p.reason = strings.TrimSpace(p.reason + " " + strings.TrimSpace(line))
		}
	}
	for i, p := range out {
		if p.reason == "" {
			return nil, fmt.Errorf("%s:%d: a mutant without a reason", name, p.line)
		}
		if slices.ContainsFunc(out[:i], func(q proof) bool { return q.key == p.key }) {
			return nil, fmt.Errorf("%s:%d: this mutant is listed above already", name, p.line)
		}
	}
	return out, nil
}

// split parts the mutants into those with a proof and the others. A proof of what
// is not there any more is an error.
func split(all []*mutant, proofs []proof, name string) (proved, others []*mutant, err error) {
	left := map[string]proof{}
	for _, p := range proofs {
		left[p.key] = p
	}
	for _, m := range all {
		if _, ok := left[m.key()]; ok {
			proved = append(proved, m)
			delete(left, m.key())
		} else {
			others = append(others, m)
		}
	}
	for _, p := range proofs {
		if _, ok := left[p.key]; ok {
			return nil, nil, fmt.Errorf("%s:%d: the sources have no such mutant any more: %s", name, p.line, p.key)
		}
	}
	return proved, others, nil
}
