package lsp

// request is what a worker is asked: to compile a directory, or to explain a
// value or a role of the one that it has compiled.
type request struct {
	Dir     string            `json:"dir"`
	Overlay map[string][]byte `json:"overlay,omitempty"`
	// Modules are directories in which dependencies are looked for.
	Modules []string `json:"modules,omitempty"`
	// Open are the files of which facts are wanted.
	Open []string `json:"open,omitempty"`
	// Why, if not "", asks for the origin of the value at this path of the last
	// good tree of Dir; nothing is compiled.
	Why string `json:"why,omitempty"`
	// Role, if not nil, asks what fills a role of the last good tree of Dir.
	Role *roleRequest `json:"role,omitempty"`
	// Solution asks for the solution, as kumiki compile writes it, and nothing else.
	Solution bool `json:"solution,omitempty"`
}

// compiles reports whether more is asked than what is known.
func (r request) compiles() bool { return r.Why == "" && r.Role == nil }

// result is what a worker knows of a directory: plain data, nothing of CUE.
type result struct {
	// Sources are the directories that sources were read from.
	Sources []string `json:"sources"`
	// Dirs are these and those above, in which a new file can take part.
	Dirs []string `json:"dirs"`
	// Whole tells that nothing was missing or broken, so that Dirs are all that
	// can matter.
	Whole bool `json:"whole"`
	// Good tells that there is something to show: the artifact was evaluated.
	Good bool `json:"good"`
	// Deployment tells that the directory has a #Deployment.
	Deployment bool      `json:"deployment"`
	Problems   []problem `json:"problems"`
	Facts      []fact    `json:"facts"`
	// Shapes are what can be written in the packages of open files.
	Shapes map[string]*shape `json:"shapes"`
	// Packages are the shapes' names of open files.
	Packages map[string]string `json:"packages"`
	// Root is the shape of the artifact that is deployed.
	Root string `json:"root"`
	// Why answers [request.Why] and [request.Role].
	Why string `json:"why,omitempty"`
	// Solution answers [request.Solution]; "" if there are errors.
	Solution string `json:"solution,omitempty"`
}

// problem is a diagnostic in a file, ready to be shown.
type problem struct {
	File  string     `json:"file"`
	Shown diagnostic `json:"shown"`
	Fixes []change   `json:"fixes,omitempty"`
}

// change is a fix: edits by file.
type change struct {
	Title string                `json:"title"`
	Edits map[string][]textEdit `json:"edits"`
}

// fact is what is known of a field as it is written: its final values, one for
// each role that the artifact fills.
type fact struct {
	File  string    `json:"file"`
	Label textRange `json:"label"`
	Value textRange `json:"value"`
	// Literal tells that the value is written there and then.
	Literal bool   `json:"literal,omitempty"`
	Name    string `json:"name"` // config.parameter.port
	Type    string `json:"type,omitempty"`
	Doc     string `json:"doc,omitempty"`
	// Finals are the distinct final values, in the order of the roles.
	Finals []final `json:"finals"`
	// Readers are the roles whose config is made of it.
	Readers []string `json:"readers,omitempty"`
}

// final is a value that a field has for some roles.
type final struct {
	JSON  string `json:"json"`
	By    string `json:"by"`   // who decides: "service default"
	Path  string `json:"path"` // for why, of the first of the roles
	Roles int    `json:"roles"`
}

// shape is what can be written in, and about, an artifact.
type shape struct {
	Kind    string            `json:"kind"`
	Config  []declared        `json:"config"`
	Clients []string          `json:"clients"`
	Servers []string          `json:"servers"`
	Roles   map[string]string `json:"roles"` // the shapes that fill them
}

// declared is a field of an artifact's config.
type declared struct {
	Path []string `json:"path"` // "parameter", "port"
	Type string   `json:"type"`
	Doc  string   `json:"doc,omitempty"`
}
