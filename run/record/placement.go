package record

import (
	"time"

	"kumiki.dev/targets"
)

// Placement brings the templates of a tree to the environments that they are for.
type Placement struct {
	ID string `json:"id"`
	// Tree is the digest of the archive with the module's root.
	Tree string `json:"tree" doc:"The digest of the archive with the root of the module." pattern:"^sha256:[0-9a-f]{64}$"`
	// Phase is how far it has come.
	Phase PlacementPhase `json:"phase" enum:"compiling,held,placing,ended"`
	// Hold holds it in any case; Held is why it waits for somebody who approves it.
	Hold bool   `json:"hold,omitempty" doc:"It waits for approval in any case."`
	Held string `json:"held,omitempty" doc:"Why it waits for approval, or has waited."`
	// Approved is who has let it go on, nil for nobody.
	Approved *Approval `json:"approved,omitempty"`
	// Remove is how many solutions may be removed, as somebody has repeated the number.
	Remove int   `json:"remove,omitempty" doc:"How many solutions may be removed: the number that a refusal names."`
	Allow  Allow `json:"allow,omitzero"`
	// Result is the digest of its cells, "" as long as they are not known.
	Result string `json:"result,omitempty"`
	// Counts are how many cells are in each state.
	Counts map[string]int `json:"counts,omitempty" doc:"How many cells are new, changed, unchanged, removed, problem or unknown."`
	// Operations are those that carry it out, by the names of deployments.
	Operations map[string]string `json:"operations,omitempty" doc:"The operations that carry it out, by the names of deployments."`
	// By has asked for it, and may do what Role may.
	By   string `json:"by"`
	Role string `json:"role"`
	// Cancel marks one that is to go no further.
	Cancel  bool       `json:"cancel,omitempty"`
	Done    bool       `json:"done"`
	Error   *Failure   `json:"error,omitempty"`
	Started time.Time  `json:"started"`
	Ended   *time.Time `json:"ended,omitempty"`
	// Timeout is how many seconds each of its operations may take.
	Timeout int `json:"timeoutSeconds" doc:"How long each of its operations may take."`
}

// Approval is who has let a placement go on.
type Approval struct {
	By string    `json:"by"`
	At time.Time `json:"at"`
}

// PlacementPhase is how far a placement has come.
type PlacementPhase string

// The phases, in their order.
const (
	PlacementCompiling PlacementPhase = "compiling"
	PlacementHeld      PlacementPhase = "held"
	PlacementPlacing   PlacementPhase = "placing"
	PlacementEnded     PlacementPhase = "ended"
)

// Cell is a template in an environment.
type Cell struct {
	Template    string `json:"template"`
	Environment string `json:"environment"`
	// Deployment is the name of the solution, and of the deployment.
	Deployment string `json:"deployment"`
	Artifact   string `json:"artifact,omitempty"`
	// Wave is the one that it is in, and WaveNumber which of the template's, from 1; 0 for none.
	Wave       string `json:"wave,omitempty"`
	WaveNumber int    `json:"waveNumber,omitempty"`
	// Level is when it is applied: after those of lower levels in its environment.
	Level int `json:"level"`
	// State is what becomes of it, and Class what a change does to what runs.
	State string `json:"state" enum:"new,changed,unchanged,removed,problem,unknown" doc:"What becomes of it, as kumiki matrix has it."`
	Class string `json:"class,omitempty" doc:"What a change does to what runs."`
	// Protected tells that its environment is.
	Protected bool              `json:"protected,omitempty"`
	Labels    map[string]string `json:"labels,omitempty"`
	// Solution is the digest of what was made, and Digest what that says its own is.
	Solution string   `json:"solution,omitempty"`
	Digest   string   `json:"digest,omitempty"`
	Problems []string `json:"problems,omitempty"`
}

// Placed is what came of a tree: the content that [Placement.Result] names.
type Placed struct {
	Cells    []Cell    `json:"cells"`
	Problems []Problem `json:"problems,omitempty"`
	// Refusal is why so much is not removed without somebody who says so.
	Refusal string `json:"refusal,omitempty"`
	// Places are the environments as the tree has them.
	Places map[string]Place `json:"places,omitempty"`
}

// Place is what a tree says of an environment.
type Place struct {
	Target    string           `json:"target"`
	Namespace string           `json:"namespace,omitempty"`
	Protected bool             `json:"protected,omitempty"`
	Options   *targets.Options `json:"options,omitempty"`
}

// Catalog is which templates are where: what the last placement that has begun wants.
type Catalog struct {
	Placement string    `json:"placement"`
	Tree      string    `json:"tree"`
	Result    string    `json:"result"`
	At        time.Time `json:"at"`
}
