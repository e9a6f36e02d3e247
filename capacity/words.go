package capacity

import (
	"fmt"
	"strconv"
	"strings"
)

// Name is what a role is called where its deployment is not told beside: shop.web/web.
func (r *Role) Name() string {
	if r.Role == "" {
		return r.Object
	}
	return r.Deployment + "/" + r.Role
}

// Lines are what there is to say beside a list of roles: a verdict, why instances have no
// room, what would make some, and notes.
func (r *Report) Lines() []string {
	lines := []string{"", r.sentence()}
	for i := range r.Roles {
		role := &r.Roles[i]
		if len(role.Why) == 0 && role.Instances == role.Placed {
			continue
		}
		lines = append(lines, "", fmt.Sprintf("%s: %d of %d have no room", role.Name(), role.Instances-role.Placed, role.Instances))
		for _, w := range role.Why {
			lines = append(lines, fmt.Sprintf("  %s: %s", w.Kind, w.Reason))
		}
	}
	lines = append(lines, r.wouldLines()...)
	notes := r.Notes
	for i := range r.Roles {
		if role := &r.Roles[i]; role.Crowded {
			notes = append(notes[:len(notes):len(notes)], fmt.Sprintf("a new version of %s has no room to start beside the old one: its rollout waits", role.Name()))
		}
	}
	if len(notes) > 0 {
		lines = append(lines, "")
	}
	for _, note := range notes {
		lines = append(lines, "note: "+note)
	}
	return lines
}

func (r *Report) sentence() string {
	switch {
	case r.Verdict == Fits:
		return "everything fits"
	case r.Verdict == MayFit:
		return "everything may fit: there is room if the largest instances come first, and a scheduler may place them otherwise"
	case r.Surely > 0:
		return fmt.Sprintf("%s no room, of which %d have none in whatever order they come", have(r.Missing), r.Surely)
	}
	return have(r.Missing) + " no room if the largest come first; another order may find some"
}

func have(n int64) string {
	if n == 1 {
		return "1 instance has"
	}
	return strconv.FormatInt(n, 10) + " instances have"
}

func (r *Report) wouldLines() []string {
	if r.Missing == 0 {
		return nil
	}
	if len(r.Would) == 0 {
		return []string{"", "no number of more nodes like these would do"}
	}
	lines := []string{"", "what would do:"}
	for _, w := range r.Would {
		line := fmt.Sprintf("  %s like %s", more(w.Nodes), w.Like)
		switch {
		case len(w.Without) > 0:
			line += fmt.Sprintf(", for all but %s", strings.Join(w.Without, ", "))
		case w.Sure > w.Nodes:
			line += fmt.Sprintf(", or %d in whatever order instances come", w.Sure)
		case w.Sure == 0:
			line += ", if the largest instances come first"
		}
		lines = append(lines, line)
	}
	return lines
}

func more(n int64) string {
	if n == 1 {
		return "1 more node"
	}
	return strconv.FormatInt(n, 10) + " more nodes"
}
