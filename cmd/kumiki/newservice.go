package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/format"
	"github.com/spf13/cobra"

	"kumiki.dev/compiler"
	"kumiki.dev/load"
	"kumiki.dev/module/catalog"
	"kumiki.dev/module/scaffold"
	"kumiki.dev/spread/params"
)

// newServiceCmd is kumiki new service.
func newServiceCmd(s streams) *cobra.Command {
	var in inputFlags
	var roles []string
	var inbound string
	cmd := &cobra.Command{
		Use:   "service NAME",
		Short: "Write a service of components and services",
		Long: `Service writes a service of the module that the working directory lies in, to a
directory of its name, with a role for each artifact that --role names. What an
artifact has to be given, the service passes on. Its client channels lead to the
server that is called so, or whose role is, or that is the only one of their
protocol; all others are the service's own. What was decided is said, and the file
is for you to change.

With --inbound, requests from outside come in at a channel of a role.`,
		Example: `  kumiki new service shop --role web --role store=db --inbound web.http`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(roles) == 0 {
				return errors.New("of which artifacts? Say --role DIR, or --role ROLE=DIR, for each")
			}
			var made []scaffold.Role
			for _, text := range roles {
				r, err := in.roleOf(cmd.Context(), s, text)
				if err != nil {
					return err
				}
				made = append(made, r)
			}
			made, err := withInbound(made, inbound)
			if err != nil {
				return err
			}
			if err := distinctRoles(made); err != nil {
				return err
			}
			files, remarks, err := scaffold.Service(args[0], made)
			if err != nil {
				return err
			}
			if err := addToModule(s, files); err != nil {
				return err
			}
			for _, r := range remarks {
				fmt.Fprintln(s.err, r)
			}
			return nil
		},
	}
	in.registerLoad(cmd)
	repeatedVar(cmd.Flags(), &roles, "role", "", "`[ROLE=]DIR` of an artifact; a role is called like the directory if nothing else is said; may be given several times")
	cmd.Flags().StringVar(&inbound, "inbound", "", "`ROLE.CHANNEL` that requests from outside come to")
	return cmd
}

// roleOf is the role that ROLE=DIR names, as far as its artifact says what it is.
func (f *inputFlags) roleOf(ctx context.Context, s streams, text string) (role scaffold.Role, err error) {
	name, dir, ok := strings.Cut(text, "=")
	if !ok {
		dir = text
		abs, err := filepath.Abs(dir)
		if err != nil {
			return role, err
		}
		name = filepath.Base(abs)
	}
	if role.Name, err = scaffold.Name(name, "a role", "web"); err != nil {
		return role, err
	}
	err = f.onArtifact(ctx, s, dir, func(s streams, in load.Input) error {
		d, problems := compiler.Describe(ctx, cuecontext.New(), in)
		if err := printProblems(s.err, problems); err != nil {
			return err
		}
		role.Import = d.Program.ImportPath()
		if d.Node != nil {
			role.Channels = catalog.Channels(d.Node)
		}
		for _, p := range d.Params {
			if section := p.Path[0]; p.Required && (section == "parameter" || section == "resource") {
				role.Needs = append(role.Needs, scaffold.Need{Path: p.Path, Type: typeOf(p), Doc: p.Doc})
			}
		}
		return nil
	})
	return role, err
}

// typeOf is what a field takes, in CUE that says so by itself; "" where it refers to
// something else.
func typeOf(p params.Param) string {
	if kind, ok := strings.CutPrefix(p.Takes, "the id of a registered "); ok && kind != "" {
		return "k.#" + strings.ToUpper(kind[:1]) + kind[1:]
	}
	text, err := format.Node(p.Schema.Syntax(cue.Raw()))
	if err != nil || strings.Contains(string(text), "\n") || cuecontext.New().CompileBytes(text).Err() != nil {
		return ""
	}
	return string(text)
}

// withInbound adds the role that lets requests in to ROLE.CHANNEL.
func withInbound(roles []scaffold.Role, at string) ([]scaffold.Role, error) {
	if at == "" {
		return roles, nil
	}
	name, channel, _ := strings.Cut(at, ".")
	for _, r := range roles {
		for _, c := range r.Channels {
			if r.Name != name || c.Name != channel || c.Side != "server" {
				continue
			}
			return append(roles, scaffold.Role{
				Name: "inbound", Import: "kumori.systems/builtins/inbound:service", Builtin: true,
				Channels: []catalog.Channel{{Name: "inbound", Side: "client", Protocol: "http"}},
				To:       map[string]string{"inbound": at},
				Needs: []scaffold.Need{
					{Path: []string{"parameter"}, Value: `{type: "http", websocket: true}`},
					{Path: []string{"resource", "serverdomain"}, Type: "k.#Domain", Doc: "Where it is found."},
				},
			}), nil
		}
	}
	return nil, fmt.Errorf("--inbound %s: write ROLE.CHANNEL, with a server channel of one of the roles", at)
}

// distinctRoles refuses two roles of one name.
func distinctRoles(roles []scaffold.Role) error {
	seen := map[string]bool{}
	for _, r := range roles {
		if seen[r.Name] {
			return fmt.Errorf("two roles would be called %s: say --role OTHER=DIR", r.Name)
		}
		seen[r.Name] = true
	}
	return nil
}
