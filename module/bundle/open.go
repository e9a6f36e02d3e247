package bundle

import (
	"os"
	"path/filepath"

	"kumiki.dev/compiler"
	"kumiki.dev/load"
)

// Opened is a bundle that was unpacked to a directory of its own.
type Opened struct {
	// Input compiles the deployment. Nothing outside of Root is read for it.
	Input compiler.Input
	// Root is what the names of files begin with.
	Root string
	// Modules are all modules in it.
	Modules []Module
}

// Open reads a bundle and unpacks it to a temporary directory. What is damaged,
// or no bundle, is an error, and nothing of it is written then.
func Open(data []byte) (*Opened, error) {
	c, files, err := decode(data)
	if err != nil {
		return nil, err
	}
	root, err := os.MkdirTemp("", "kumiki-")
	if err != nil {
		return nil, err
	}
	o := &Opened{Root: root, Modules: c.Modules}
	if err := o.unpack(files); err != nil {
		o.Close()
		return nil, err
	}
	if o.Root, err = filepath.EvalSymlinks(root); err != nil {
		o.Root = root
	}
	o.Input.LoadInput = load.Input{
		Dir:      filepath.Join(o.Root, filepath.FromSlash(c.Dir)),
		Package:  c.Package,
		Modules:  []string{filepath.Join(o.Root, modulesDir)},
		Registry: replay{o.Root},
	}
	if err := c.Given.input(&o.Input, o.Root, files); err != nil {
		o.Close()
		return nil, err
	}
	return o, nil
}

// Close removes the directory.
func (o *Opened) Close() { _ = os.RemoveAll(o.Root) }

func (o *Opened) unpack(files map[string][]byte) error {
	root, err := os.OpenRoot(o.Root)
	if err != nil {
		return err
	}
	defer root.Close()
	// A cue.mod is looked for upwards, and must not be found outside.
	for _, dir := range []string{"cue.mod", filepath.Join(filesDir, "cue.mod"), modulesDir} {
		if err := root.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	for name, data := range files {
		at := filepath.FromSlash(name)
		if err := root.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return err
		}
		if err := root.WriteFile(at, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
