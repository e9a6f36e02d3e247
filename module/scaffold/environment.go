package scaffold

// Environment is the file of an environment, in the directory that they have.
func Environment(name, target string) ([]File, error) {
	return filled("environment", map[string]string{"Name": name, "Target": target})
}
