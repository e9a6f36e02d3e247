package main

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// repeatedVar adds a flag that may be given several times, with a letter if short is not empty. It does what pflag's string array does,
// in less memory: pflag writes the text of each empty list by a writer of 4 KB, and every start of kumiki makes hundreds of such flags.
func repeatedVar(flags *pflag.FlagSet, to *[]string, name, short, usage string) {
	flags.VarPF(&repeated{to: to}, name, short, usage).DefValue = ""
}

// repeated is the value of such a flag.
type repeated struct {
	to    *[]string
	given bool
}

var _ pflag.SliceValue = (*repeated)(nil)

// Set adds a text. The first one replaces what was there before any was given.
func (s *repeated) Set(text string) error {
	if s.given {
		return s.Append(text)
	}
	s.given = true
	return s.Replace([]string{text})
}

// String is the texts as CSV, as [pflag.FlagSet.GetStringArray] reads it.
func (s *repeated) String() string {
	if s.to == nil || len(*s.to) == 0 {
		return "[]"
	}
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.Write(*s.to) // a buffer takes everything
	w.Flush()
	return "[" + strings.TrimSuffix(b.String(), "\n") + "]"
}

// Type is by what name pflag knows the value.
func (s *repeated) Type() string { return "stringArray" }

// Append implements [pflag.SliceValue].
func (s *repeated) Append(text string) error {
	*s.to = append(*s.to, text)
	return nil
}

// Replace implements [pflag.SliceValue].
func (s *repeated) Replace(texts []string) error {
	*s.to = slices.Clone(texts)
	return nil
}

// GetSlice implements [pflag.SliceValue].
func (s *repeated) GetSlice() []string { return slices.Clone(*s.to) }
