package page

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"kumiki.dev/run/access"
	"kumiki.dev/run/api"
	"kumiki.dev/run/record"
)

// spot is a template in an environment, as the table shows it; nil where it is not placed.
type spot struct {
	Deployment, Why string
	There           bool
	State           state
}

// templateRow is a template, with its spots in the order of the columns.
type templateRow struct {
	Name  string
	Spots []*spot
}

type templatesBody struct {
	Environments []string
	Rows         []templateRow
	Placements   []record.Placement
	// All tells that who looks may see placements.
	All bool
}

// showTemplates shows a row for each template, and a column for each environment.
func showTemplates(v *visit) error {
	var found struct{ Items []api.Template }
	if err := v.get("/v1/templates", &found); err != nil {
		return err
	}
	b := templatesBody{All: v.me.Selector == ""}
	for _, t := range found.Items {
		for _, c := range t.Cells {
			if !slices.Contains(b.Environments, c.Environment) {
				b.Environments = append(b.Environments, c.Environment)
			}
		}
	}
	slices.Sort(b.Environments)
	for _, t := range found.Items {
		row := templateRow{Name: t.Name, Spots: make([]*spot, len(b.Environments))}
		for _, c := range t.Cells {
			row.Spots[slices.Index(b.Environments, c.Environment)] = &spot{c.Deployment, c.Why, c.Operation != "", spotState(c)}
		}
		b.Rows = append(b.Rows, row)
	}
	if b.All {
		var err error
		if b.Placements, err = v.placements(); err != nil {
			return err
		}
	}
	return v.show(http.StatusOK, "templates", frame{Title: "Templates", At: "templates", Watch: "operations", Poll: true, Body: b})
}

// placements are the last ones, the last first.
func (v *visit) placements() ([]record.Placement, error) {
	var found api.Page[record.Placement]
	err := v.get("/v1/placements?order=desc&limit="+strconv.Itoa(lastOnes), &found)
	return found.Items, err
}

// spotState is how a template is in an environment, in a word.
func spotState(c api.TemplateCell) state {
	switch {
	case c.State == "problem", c.State == "unknown":
		return state{c.State, "bad", c.Why}
	case c.State == "removed":
		return state{"being removed", "busy", ""}
	case c.State != "unchanged":
		return state{c.State, "held", c.Why}
	case c.Healthy:
		return state{"healthy", "good", ""}
	case c.Why != "":
		return state{"failing", "bad", c.Why}
	}
	return state{"being changed", "busy", ""}
}

type placementBody struct {
	api.PlacementOf
	// Waits tells that it waits for approval, Removed is how many would be removed, and Loses are
	// the deployments that would lose data.
	Waits   bool
	Removed int
	Loses   []string
	// All tells that who looks may do with placements what the role lets it.
	All   bool
	Wrong *api.Fault
}

func showPlacement(v *visit) error { return v.placement(nil) }

// placement shows a placement, with what is wrong with a form about it.
func (v *visit) placement(wrong *api.Fault) error {
	b := placementBody{Wrong: wrong, All: v.me.Selector == ""}
	if err := v.get("/v1/placements/"+url.PathEscape(v.r.PathValue("id")), &b.PlacementOf); err != nil {
		return err
	}
	b.Waits = b.Phase == record.PlacementHeld && b.Approved == nil && !b.Cancel
	b.Removed = b.Counts["removed"]
	for _, c := range b.Cells {
		if c.Class == "data-loss" {
			b.Loses = append(b.Loses, c.Deployment)
		}
	}
	slices.SortStableFunc(b.Cells, func(x, y record.Cell) int { return cmp.Compare(x.Template, y.Template) })
	status := http.StatusOK
	if wrong != nil {
		status = wrong.Status
	}
	// While it waits for somebody, what is written in the form stays.
	return v.show(status, "placement", frame{Title: "Placement", At: "templates", Poll: !b.Done && !b.Waits, Body: b})
}

// beginPlacement places the tree that a form sends.
func beginPlacement(v *visit) error {
	v.r.Body = http.MaxBytesReader(v.w, v.r.Body, maxForm)
	if err := v.r.ParseMultipartForm(8 << 20); err != nil {
		return &api.Fault{Status: http.StatusRequestEntityTooLarge, Code: "manager/request", Detail: "the form cannot be read: " + err.Error()}
	}
	defer func() { _ = v.r.MultipartForm.RemoveAll() }()
	if err := v.needs(access.Deployer); err != nil {
		return err
	}
	form := v.r.PostForm
	if err := v.takeBundle(form); err != nil {
		return err
	}
	if form.Get("bundle") == "" {
		return wrong("choose the archive of a module with templates and environments: git archive --format=zip makes one")
	}
	var p api.PlacementOf
	if err := v.ask(http.MethodPost, "/v1/placements", map[string]any{"tree": form.Get("bundle"), "hold": form.Get("hold") != ""}, &p, nil); err != nil {
		return err
	}
	http.Redirect(v.w, v.r, "/ui/placements/"+url.PathEscape(p.ID), http.StatusSeeOther)
	return nil
}

// movePlacement approves or cancels a placement.
func movePlacement(v *visit) error {
	v.r.Body = http.MaxBytesReader(v.w, v.r.Body, 1<<16)
	id, what := url.PathEscape(v.r.PathValue("id")), v.r.PathValue("what")
	var err error
	switch what {
	case "approve":
		remove, _ := strconv.Atoi(v.r.PostFormValue("remove")) // no number is none
		header := http.Header{"If-Match": {strconv.Quote(v.r.PostFormValue("revision"))}}
		err = v.ask(http.MethodPost, "/v1/placements/"+id+"/approve", map[string]any{"remove": max(remove, 0), "allow": allowed(v.r.PostForm)}, nil, header)
	case "cancel":
		err = v.ask(http.MethodPost, "/v1/placements/"+id+"/cancel", nil, nil, nil)
	default:
		err = wrong("a placement is approved or cancelled, not %q", what)
	}
	if err != nil {
		if f := faultOf(err); f.Code == "manager/remove" {
			return v.placement(f)
		}
		return err
	}
	http.Redirect(v.w, v.r, "/ui/placements/"+id, http.StatusSeeOther)
	return nil
}
