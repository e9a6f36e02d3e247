package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"kumiki.dev/compiler"
	"kumiki.dev/load"
	"kumiki.dev/solution"
)

// solution is what an argument names: a directory is compiled, anything else is
// read as a solution file.
func (f *inputFlags) solution(ctx context.Context, s streams, arg string) (*solution.Solution, error) {
	if info, err := os.Stat(arg); arg == "-" || err != nil || !info.IsDir() {
		return readSolution(s, arg)
	}
	input, err := f.input(s, []string{arg})
	if err != nil {
		return nil, err
	}
	result, problems := compiler.Run(ctx, input, compiler.ExtractStage)
	return result.Solution, printProblems(s.err, problems)
}

// solutions are those that the arguments name (default: the working directory):
// for a directory of solution files or of directories with deployments, these.
func (f *inputFlags) solutions(ctx context.Context, s streams, args []string) ([]*solution.Solution, error) {
	if len(args) == 0 {
		args = []string{"."}
	}
	var out []*solution.Solution
	for _, arg := range args {
		for _, file := range load.Sources(arg) {
			sol, err := f.solution(ctx, s, file)
			if err != nil {
				return nil, err
			}
			out = append(out, sol)
		}
	}
	return out, nil
}

// checkForm checks the value of -o against those that there are.
func checkForm(value string, values ...string) error {
	if slices.Contains(values, value) {
		return nil
	}
	return fmt.Errorf("-o %s: there are %s and %s", value, strings.Join(values[:len(values)-1], ", "), values[len(values)-1])
}
