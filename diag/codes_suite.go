package diag

// The codes of the tests of a module.
const (
	// NoCases: a module has no example.
	NoCases Code = "test/no-cases"
	// Golden: a solution is not what want.json says.
	Golden Code = "test/golden"
	// BadGolden: want.json can be neither read nor written.
	BadGolden Code = "test/bad-golden"
	// Fact: a solution is not what the facts in a _test.cue file say.
	Fact Code = "test/fact"
	// BadFacts: the facts themselves cannot be evaluated.
	BadFacts Code = "test/bad-facts"
)
