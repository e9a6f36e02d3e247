package live

import (
	"context"

	"kumiki.dev/diag"
	"kumiki.dev/engine"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

// System is a [Target] with what commands ask of it besides.
type System interface {
	Target
	// Where says in words which environment it is, without credentials: "namespace shop of
	// prod".
	Where() string
	// Objects returns the objects that a solution was lowered to, as the engine takes them. Restarts
	// counts how often places were restarted.
	Objects(solution string, lowered []targets.Object, restarts map[string]int) ([]engine.Object, error)
	// Origin returns where the manifest has what a field of an object was made of, or what is
	// around it; NoPos where that is not known.
	Origin(s *solution.Solution, o targets.Object, field string) diag.Pos
	// Status returns how the roles of a solution are, sorted by places.
	Status(ctx context.Context, r *Record, seen []engine.Seen) ([]Status, error)
	// Claims returns the volumes that instances of workloads have made for their data: they are in no
	// record, and outlive the solution.
	Claims(ctx context.Context, solution string, workloads []engine.About) ([]engine.About, error)
	// Warnings returns what the system has warned of since it was asked last, each once.
	Warnings() []string
}
