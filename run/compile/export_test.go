package compile

import "context"

// Run runs the compiler and returns what it prints on standard error.
func (c *Compiler) Run(ctx context.Context, dir string, args ...string) (string, error) {
	out, err := c.run(ctx, dir, args...)
	return string(out.stderr.text), err
}
