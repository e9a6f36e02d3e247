package diag

// The codes of the loader: problems of directories, modules, imports and of
// the form of files, found before anything is evaluated.
const (
	// NoDirectory: a directory that is absent, unreadable or no directory.
	NoDirectory Code = "load/no-directory"
	// NoFiles: a directory without a single CUE file.
	NoFiles Code = "load/no-files"
	// NoDeployment: a directory without #Deployment and #Artifact.
	NoDeployment Code = "load/no-deployment"
	// ManyDeployments: a directory in which several packages qualify.
	ManyDeployments Code = "load/many-deployments"
	// NoPackage: a package name that no file of the directory has.
	NoPackage Code = "load/no-package"
	// NoModule: a directory that belongs to no module.
	NoModule Code = "load/no-module"
	// BadModule: a malformed kmodule.cue or cue.mod/module.cue.
	BadModule Code = "load/module"
	// BadImportPath: an import path that is malformed or of a kind that is
	// not supported.
	BadImportPath Code = "load/import-path"
	// ImportNotFound: an import whose package or module was not found.
	ImportNotFound Code = "load/import"
	// ModuleNotFound: the module of an import is nowhere.
	ModuleNotFound Code = "load/module-not-found"
	// ImportCycle: a package that imports itself, in one or more steps.
	ImportCycle Code = "load/import-cycle"
	// UnusedImport: an import that its file does not use.
	UnusedImport Code = "load/unused-import"
	// ShadowedImport: a name is that of an import and of a field around it, which
	// is nearer.
	ShadowedImport Code = "load/shadowed-import"
	// UndeclaredDependency: a dependency that kmodule.cue does not declare.
	UndeclaredDependency Code = "load/undeclared-dependency"
	// WrongVersion: a dependency of another version than the one asked for.
	WrongVersion Code = "load/version"
	// Forbidden: a file that asks for something to be executed, or to be
	// read behind the deployer's back: tool packages, @extern and @embed.
	Forbidden Code = "load/forbidden"
	// Syntax: a syntax error; the text is CUE's.
	Syntax Code = "load/syntax"
	// BadFile: a file that can't be read as a source: too large, nested too
	// deep, not UTF-8, not a regular file.
	BadFile Code = "load/file"
	// OutsideModule: a source that lies outside of its module.
	OutsideModule Code = "load/outside-module"
	// ContextWritten: somebody writes what an artifact is told of where it is deployed.
	ContextWritten Code = "load/context-written"
	// ForeignText: a text that other tools would fill in.
	ForeignText Code = "load/foreign-text"
	// BadLint: an acknowledgement of a warning that does not say which, or why.
	BadLint Code = "load/lint"
)

// Locked: a module is not the one that kumiki.lock has the digest of.
const Locked Code = "load/locked"
