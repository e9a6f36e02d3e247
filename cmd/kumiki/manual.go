//go:build manual

package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"kumiki.dev/internal/filter"
	"kumiki.dev/targets/kubernetes"
)

// With the tag manual, the program is another: it writes the manual of kumiki and the
// completions for shells into a directory, and prints the name of the resolver's image.
// A release has them; kumiki itself does not have to carry what writes them.
func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: manual DIR DATE")
		os.Exit(exitUsage)
	}
	s, _ := streams{bytes.NewReader(nil), io.Discard, io.Discard, io.Discard, nil, nil}.hiding()
	root := newRootCmd(s)
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	err := cmp.Or(writePages(root, filepath.Join(os.Args[1], "man"), os.Args[2]), writeCompletions(root, filepath.Join(os.Args[1], "completions")))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(exitBug)
	}
	fmt.Println(kubernetes.ResolverImage)
}

// writeCompletions writes what kumiki completion prints, under the names by which
// shells find it.
func writeCompletions(root *cobra.Command, dir string) error {
	for name, write := range map[string]func(io.Writer) error{
		"kumiki.bash": func(w io.Writer) error { return root.GenBashCompletionV2(w, true) },
		"zsh/_kumiki": root.GenZshCompletion,
		"kumiki.fish": func(w io.Writer) error { return root.GenFishCompletion(w, true) },
		"kumiki.ps1":  root.GenPowerShellCompletionWithDesc,
	} {
		var out bytes.Buffer
		if err := cmp.Or(write(&out), writeBelow(dir, name, out.Bytes())); err != nil {
			return err
		}
	}
	return nil
}

// writePages writes the page of a command, and of those that it holds: section 1 for
// commands, section 7 for topics.
func writePages(cmd *cobra.Command, dir, date string) error {
	if cmd.Hidden {
		return nil
	}
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	section := "1"
	if cmd.IsAdditionalHelpTopicCommand() {
		section = "7"
	}
	if err := writeBelow(dir, "man"+section+"/"+name+"."+section, manualPage(cmd, name, section, date)); err != nil {
		return err
	}
	for _, c := range cmd.Commands() {
		if err := writePages(c, dir, date); err != nil {
			return err
		}
	}
	return nil
}

// manualPage is a page in roff. Its texts are those of the help, in the lines that they
// have there, since they are laid out for 80 columns with tables in them.
func manualPage(cmd *cobra.Command, name, section, date string) []byte {
	var p bytes.Buffer
	fmt.Fprintf(&p, ".TH %s %s %s %s Kumiki\n", roffWord(strings.ToUpper(name)), section, roffWord(date), roffWord("kumiki "+version()))
	fmt.Fprintf(&p, ".SH NAME\n%s \\- %s\n", roff(name), roff(strings.ToLower(cmd.Short[:1])+cmd.Short[1:]))
	part := func(title, text string) {
		if text = strings.Trim(text, "\n"); text == "" {
			return
		}
		fmt.Fprintf(&p, ".SH %s\n.nf\n", roffWord(title))
		for line := range strings.Lines(text + "\n") {
			p.WriteString(roff(line))
		}
		p.WriteString(".fi\n")
	}
	if section == "1" {
		part("SYNOPSIS", cmd.UseLine())
	}
	part("DESCRIPTION", cmp.Or(cmd.Long, cmd.Short))
	part("COMMANDS", commandList(cmd))
	part("EXAMPLES", cmd.Example)
	options(&p, "OPTIONS", cmd.NonInheritedFlags())
	options(&p, "OPTIONS OF ALL COMMANDS", cmd.InheritedFlags())
	if cmd.HasParent() {
		fmt.Fprintf(&p, ".SH SEE ALSO\n.BR %s (1)\n", roff(strings.ReplaceAll(cmd.Parent().CommandPath(), " ", "-")))
	}
	return p.Bytes()
}

// options writes a paragraph for each flag.
func options(p *bytes.Buffer, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(p, ".SH %s\n", roffWord(title))
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		word, usage := pflag.UnquoteUsage(f)
		if f.Shorthand != "" {
			fmt.Fprintf(p, ".TP\n\\fB%s\\fR, \\fB%s\\fR", roff("-"+f.Shorthand), roff("--"+f.Name))
		} else {
			fmt.Fprintf(p, ".TP\n\\fB%s\\fR", roff("--"+f.Name))
		}
		if word != "" {
			fmt.Fprintf(p, " \\fI%s\\fR", roff(word))
		}
		if !filter.Contains([]string{"", "false", "[]"}, f.DefValue) {
			usage += " (default: " + f.DefValue + ")"
		}
		fmt.Fprintf(p, "\n%s\n", roff(usage))
	})
}

// commandList is a line for each command that a command holds, with its page.
func commandList(cmd *cobra.Command) string {
	var out strings.Builder
	for _, c := range cmd.Commands() {
		if !c.Hidden {
			fmt.Fprintf(&out, "%-*s %s\n", c.NamePadding(), c.Name(), c.Short)
		}
	}
	return out.String()
}

// roff is a text that roff prints as it is.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "`", `\(ga`, "'", `\(aq`, "^", `\(ha`, "~", `\(ti`).Replace(text)
	if strings.HasPrefix(text, ".") {
		return `\&` + text
	}
	return text
}

// roffWord is a text that is one argument of a request.
func roffWord(text string) string { return `"` + strings.ReplaceAll(roff(text), `"`, `\(dq`) + `"` }

func writeBelow(dir, name string, data []byte) error {
	at := filepath.Join(dir, filepath.FromSlash(name))
	return cmp.Or(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, data, 0o644))
}
