package benchapp

import "fmt"

// Case is an application of a shape and size that benchmarks measure.
type Case struct {
	Shape string
	Size  int  // roles, levels or connections, whichever the shape grows in
	Roles int  // components that run
	Quick bool // measured in a quick run too
	New   func() Application
}

// Name is unique among the cases.
func (c Case) Name() string { return fmt.Sprintf("%s-%d", c.Shape, c.Size) }

// Shapes say what the cases of a shape are, in the order of [Cases].
var Shapes = []struct{ Name, About string }{
	{"minimal", "one component with one parameter"},
	{"flat", "roles of 10 artifacts, which share what the service hands down: 20 parameters"},
	{"artifacts", "the same roles of as many different artifacts, up to 1,000"},
	{"configs", "roles of one artifact, each with 20 values of its own"},
	{"usual", "roles of 10 artifacts, each with 5 values of its own and the number of its instances, the config also in a JSON file"},
	{"nested", "services of 4 roles, 5 levels deep; every level hands 20 parameters down and lengthens one"},
	{"nested-file", "the same, the config also in a JSON file"},
	{"nested-equal", "the same, without a file, nothing lengthened: all leaves are equal"},
	{"peers", "what other tools were compared on: usual, where the file also has the port of a channel, and roles pass the service's resilience on"},
	{"peers-nested", "nested-file in the same way"},
	{"chain", "services of one role, one in the other"},
	{"connected", "500 roles; some have connectors, to 10 others each"},
}

// Cases are all applications that are measured.
func Cases() []Case {
	var all []Case
	sizes := func(shape string, quick int, app func(n int) Application, sizes ...int) {
		for _, n := range sizes {
			all = append(all, Case{shape, n, n, n <= quick, func() Application { return app(n) }})
		}
	}
	trees := func(shape string, app func(depth int) Application) {
		for _, depth := range []int{3, 4, 5} {
			leaves := 1 << (2 * depth)
			all = append(all, Case{shape, leaves, leaves, depth < 5, func() Application { return app(depth) }})
		}
	}
	sizes("minimal", 1, func(int) Application { return Minimal() }, 1)
	sizes("flat", 100, func(n int) Application { return Flat(n, 10) }, 10, 100, 1000, 3000)
	sizes("artifacts", 100, func(n int) Application { return Flat(n, 1000) }, 100, 1000, 3000)
	sizes("configs", 100, Distinct, 100, 1000)
	sizes("usual", 100, Usual, 10, 100, 1000)
	trees("nested", func(depth int) Application { return Nested(depth, 4, true) })
	trees("nested-file", func(depth int) Application { return Nested(depth, 4, true).WithFile() })
	trees("nested-equal", func(depth int) Application { return Nested(depth, 4, false) })
	sizes("peers", 100, func(n int) Application { return Usual(n).LikePeers() }, 1000)
	sizes("peers-nested", 0, func(int) Application { return Nested(5, 4, true).LikePeers() }, 1024)
	sizes("chain", 20, func(n int) Application { return Nested(n, 1, true) }, 10, 20, 40)
	sizes("connected", 500, func(n int) Application { return Connected(500, n/10) }, 500, 1000, 2000)
	for i, c := range all {
		switch c.Shape {
		case "chain":
			all[i].Roles = 1
		case "connected":
			all[i].Roles = 500
		}
	}
	return all
}
