package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Placement brings the templates of a tree to the environments that they are for.
type Placement struct {
	ID string `json:"id"`
	// Tree is the digest of the archive with the module's root.
	Tree string `json:"tree"`
	// Phase is compiling, held, placing or ended. Held is why it waits for approval, or has waited.
	Phase string `json:"phase"`
	Hold  bool   `json:"hold,omitempty"`
	Held  string `json:"held,omitempty"`
	// Approved is who has let it go on, nil for nobody.
	Approved *Approval `json:"approved,omitempty"`
	// Remove is how many solutions may be removed.
	Remove int   `json:"remove,omitempty"`
	Allow  Allow `json:"allow,omitzero"`
	// Result is the digest of its cells, and Counts are how many of them are in each state.
	Result string         `json:"result,omitempty"`
	Counts map[string]int `json:"counts,omitempty"`
	// Operations are those that carry it out, by the names of deployments.
	Operations map[string]string `json:"operations,omitempty"`
	By         string            `json:"by"`
	Role       string            `json:"role"`
	Cancel     bool              `json:"cancel,omitempty"`
	// Done marks one that has ended. Error says why some cells are not as they should be.
	Done    bool       `json:"done"`
	Error   *Failure   `json:"error,omitempty"`
	Started time.Time  `json:"started"`
	Ended   *time.Time `json:"ended,omitempty"`
	// Timeout is how many seconds each of its operations may take.
	Timeout int `json:"timeoutSeconds"`
	// Cells are what becomes of each template in each environment, sorted by environment and
	// template; none in a list of placements.
	Cells    []Cell    `json:"cells"`
	Problems []Problem `json:"problems,omitempty"`
	// Refusal says why this many removals need somebody who repeats their number.
	Refusal string           `json:"refusal,omitempty"`
	Places  map[string]Place `json:"places,omitempty"`
	// Revision is what an approval has to name.
	Revision int64 `json:"revision"`
}

// Place is what a tree says of an environment.
type Place struct {
	Target    string         `json:"target"`
	Namespace string         `json:"namespace,omitempty"`
	Protected bool           `json:"protected,omitempty"`
	Options   map[string]any `json:"options,omitempty"`
}

// Approval is who has let a placement go on.
type Approval struct {
	By string    `json:"by"`
	At time.Time `json:"at"`
}

// Cell is a template in an environment.
type Cell struct {
	Template    string `json:"template"`
	Environment string `json:"environment"`
	Deployment  string `json:"deployment"`
	Artifact    string `json:"artifact,omitempty"`
	Wave        string `json:"wave,omitempty"`
	WaveNumber  int    `json:"waveNumber,omitempty"`
	Level       int    `json:"level"`
	// State is new, changed, unchanged, removed, problem or unknown; Class what a change does.
	State     string            `json:"state"`
	Class     string            `json:"class,omitempty"`
	Protected bool              `json:"protected,omitempty"`
	Labels    map[string]string `json:"labels,omitempty"`
	Solution  string            `json:"solution,omitempty"`
	Digest    string            `json:"digest,omitempty"`
	Problems  []string          `json:"problems,omitempty"`
}

// Template is a template with the environments that it is in.
type Template struct {
	Name  string         `json:"name"`
	Cells []TemplateCell `json:"cells"`
}

// TemplateCell is a template in an environment, as it is wanted and as it is.
type TemplateCell struct {
	Cell
	// Applied tells that what is wanted runs, Healthy that it is well, and Why what is wrong.
	Applied   bool   `json:"applied"`
	Healthy   bool   `json:"healthy"`
	Why       string `json:"why,omitempty"`
	Operation string `json:"operation,omitempty"`
}

// PlaceTree says what is placed.
type PlaceTree struct {
	// Tree is the digest of an archive that was uploaded.
	Tree string `json:"tree"`
	// Hold waits for approval in any case; Remove is how many solutions may be removed.
	Hold   bool  `json:"hold,omitempty"`
	Remove int   `json:"remove,omitempty"`
	Allow  Allow `json:"allow,omitzero"`
}

const placementsPath = "/v1/placements"

func placementPath(id string) string { return placementsPath + "/" + url.PathEscape(id) }

// Templates lists the templates that were placed, and how each is in its environments.
func (c *Client) Templates(ctx context.Context) ([]Template, error) {
	return some[Template](ctx, c, "/v1/templates", nil)
}

// Place brings a tree to its environments; with DryRun it says what that would do.
func (c *Client) Place(ctx context.Context, what PlaceTree, w Write) (p Placement, err error) {
	r := request{method: http.MethodPost, path: placementsPath, body: what, header: map[string]string{}, query: url.Values{}, within: working}
	if w.Timeout > 0 {
		r.query.Set("timeoutSeconds", strconv.Itoa(max(1, int(w.Timeout/time.Second))))
	}
	if w.DryRun {
		r.query.Set("dryRun", "true")
		_, err = c.do(ctx, r, &p)
		return p, err
	}
	if w.Key == "" {
		w.Key = NewKey()
	}
	r.header["Idempotency-Key"] = w.Key
	p.Revision, err = c.insist(ctx, r, &p)
	return p, err
}

// Placements lists placements, without their cells.
func (c *Client) Placements(ctx context.Context) ([]Placement, error) {
	items, _, err := all[Placement](ctx, c, placementsPath, nil)
	return items, err
}

// Placement reads one, after waiting for its end or until it is held, for at most so long.
func (c *Client) Placement(ctx context.Context, id string, wait time.Duration) (p Placement, err error) {
	r := request{method: http.MethodGet, path: placementPath(id), query: url.Values{}, within: answering + wait}
	if wait > 0 {
		r.query.Set("waitSeconds", strconv.Itoa(int(wait/time.Second)))
	}
	p.Revision, err = c.do(ctx, r, &p)
	return p, err
}

// Approve lets a placement go on that is held: the one of the revision. Remove repeats how many
// solutions may be removed.
func (c *Client) Approve(ctx context.Context, id string, revision int64, remove int, allow Allow) (p Placement, err error) {
	r := request{method: http.MethodPost, path: placementPath(id) + "/approve", body: map[string]any{"remove": remove, "allow": allow}}
	p.Revision, err = c.do(ctx, r.match(revision), &p)
	return p, err
}

// CancelPlacement lets a placement go no further.
func (c *Client) CancelPlacement(ctx context.Context, id string) (p Placement, err error) {
	p.Revision, err = c.do(ctx, request{method: http.MethodPost, path: placementPath(id) + "/cancel"}, &p)
	return p, err
}
