package diag

// The codes of environments.
const (
	// EnvironmentNotConcrete: an environment is not plain data.
	EnvironmentNotConcrete Code = "environment/not-concrete"
	// NoEnvironment: no file declares the environment that is asked for.
	NoEnvironment Code = "environment/unknown"
	// EnvironmentName: an environment is called otherwise than its file.
	EnvironmentName Code = "environment/name"
	// EnvironmentWord: a name in an environment is none that its target takes.
	EnvironmentWord Code = "environment/word"
	// TemplateWord: a word in a template is none that it takes there.
	TemplateWord Code = "environment/template"
	// Requirement: what a template requires is not there, or requires it in turn.
	Requirement Code = "environment/requires"
	// NoPlace: a template is for no environment.
	NoPlace Code = "environment/no-place"
	// NotRegistered: a deployment names what its environment does not have.
	NotRegistered Code = "environment/not-registered"
)
