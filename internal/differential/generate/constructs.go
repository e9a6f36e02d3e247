package generate

// Constructs returns those that enough applications have to have: what engineers
// write, and what the readers of sources in kumiki have to get right.
func Constructs() []string {
	return []string{
		// Comprehensions and let, at every level.
		"if", "for", "for with if", "let in a comprehension", "let", "list comprehension",
		"comprehension in #Artifact", "comprehension in description", "comprehension in code", "comprehension in mapping",
		"comprehension in a file", "comprehension in roles", "comprehension in a role's config",
		"if in config", "for in config", "for over a table", "roles by a for",
		"if in a deployment", "for in a deployment", "channel under a condition", "connector under a condition",
		"let in #Artifact", "let in description", "let in code",

		// Other names, and what is no data.
		"alias", "alias by ~", "hidden field", "definition within an artifact", "hidden field of the package",
		"definition of the package", "imported definition", "embedded definition", "embedded struct", "base of an artifact",
		"definition as a function", "hidden field of a deployment", "several files", "package in a parent directory",

		// Types of parameters.
		"scalar", "default", "enum", "bound", "disjunction of scalars", "disjunction of types", "disjunction of structs",
		"default {} of a struct", "default of a struct", "list with a default", "list of structs", "list of fixed length",
		"null or a struct", "null or a text", "any", "close", "pattern", "pattern of a scalar", "nested parameter",
		"validator of a scalar", "validator of a list", "validator of a struct",
		"matchN of a scalar", "matchIf of a scalar", "not of a scalar", "matchN of a struct", "matchIf of a struct",
		"optional parameter", "required parameter", "optional parameter where it is given", "test of presence", "test of presence of what is computed",
		"quoted label", "number with a fraction", "number literal", "size as a parameter",

		// Fields that refer to each other.
		"reference between parameters", "copy of another parameter", "default from another parameter",
		"bound by another parameter", "port from a parameter", "check across fields", "check in an artifact",
		"check in a description", "check beside config", "check in parameters", "check beside containers", "check in a role",
		"check in a deployment",

		// Expressions.
		"interpolation", "multi-line string", "raw string", "arithmetic", "list indexing", "lookup", "label of an expression",
		"strings", "list", "math", "regexp", "json", "yaml", "text/template", "encoding",

		// The model.
		"service", "service in a service", "parameter passed on", "resilience passed on", "scale in a role", "refined artifact",
		"artifact written out in a role", "artifact of a role, by a let", "artifact of a role, directly", "for over the roles",
		"meta of a role", "quoted name of a role", "env", "env of a parameter", "file of data", "file of a list", "probe",
		"containers by a for", "pattern over containers", "resource", "group of resources", "volatile volume",
		"volatile volume in an artifact", "version set", "full connector", "facts of a connector", "connector to several",
		"duplex channel", "inbound", "qos", "ref without a name", "own version in ref", "up", "meta of a deployment",
		"unified with the model", "kam style", "--set", "file of values", "YAML", "value of another deployment",
	}
}
