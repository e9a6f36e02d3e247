package history

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
)

var errKilled = errors.New("killed")

// crashing is a file system in memory that stops at a step, and of which only
// that is certain to be left that has been waited for. Whatever else was on its
// way to the disk may have arrived or not, each by itself.
type crashing struct {
	names   map[string]*inode // as processes see them
	durable map[string]*inode // as they are after a failure of power
	pending []change          // on their way from the one to the other
	steps   int               // until it stops, negative for never
	random  *rand.Rand
	lock    sync.Mutex
}

type inode struct{ data, durable []byte }

// change is a name that has another file now, nil for none.
type change struct {
	name string
	file *inode
}

func newCrashing(seed uint64) *crashing {
	return &crashing{names: map[string]*inode{}, durable: map[string]*inode{}, steps: -1, random: rand.New(rand.NewPCG(seed, 1))}
}

// step is taken before and after everything that changes something.
func (c *crashing) step() error {
	if c.steps == 0 {
		return errKilled
	}
	c.steps--
	return nil
}

// restart is what comes after a failure: power ones lose what was not waited
// for, a killed process leaves everything that it has done.
func (c *crashing) restart(power bool) {
	c.steps = -1
	if !power {
		return
	}
	for _, p := range c.pending {
		if c.random.IntN(2) == 0 {
			continue
		}
		c.apply(p)
	}
	c.pending = nil
	c.names = map[string]*inode{}
	for name, f := range c.durable {
		if n := len(f.data) - len(f.durable); n > 0 && strings.HasPrefix(string(f.data), string(f.durable)) {
			f.durable = f.data[:len(f.durable)+c.random.IntN(n+1)]
		}
		f.data = f.durable
		c.names[name] = f
	}
}

func (c *crashing) apply(p change) {
	if p.file == nil {
		delete(c.durable, p.name)
		return
	}
	c.durable[p.name] = p.file
}

func (c *crashing) set(name string, f *inode) {
	if f == nil {
		delete(c.names, name)
	} else {
		c.names[name] = f
	}
	c.pending = append(c.pending, change{name, f})
}

func (c *crashing) ReadFile(name string) ([]byte, error) {
	f, ok := c.names[name]
	if !ok || f.data == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return f.data, nil
}

func (c *crashing) ReadDir(name string) ([]string, error) {
	var names []string
	for file := range c.names {
		if filepath.Dir(file) == name {
			names = append(names, filepath.Base(file))
		}
	}
	return names, nil
}

// MkdirAll makes directories whose loss would lose everything in them.
func (c *crashing) MkdirAll(name string) error {
	if err := c.step(); err != nil {
		return err
	}
	for dir := name; dir != "."; dir = filepath.Dir(dir) {
		if c.names[dir] == nil {
			c.set(dir, &inode{})
		}
	}
	return c.step()
}

func (c *crashing) WriteSynced(name string, data []byte) error {
	if err := c.step(); err != nil {
		return err
	}
	f := &inode{data: []byte{}}
	c.set(name, f)
	for _, part := range [][]byte{data[:len(data)/2], data[len(data)/2:]} {
		f.data = append(f.data, part...)
		if err := c.step(); err != nil {
			return err
		}
	}
	f.durable = f.data
	return c.step()
}

func (c *crashing) Replace(name string, data []byte) error {
	if err := c.step(); err != nil {
		return err
	}
	c.set(name, &inode{data, data})
	return c.step()
}

func (c *crashing) Rename(from, to string) error {
	if err := c.step(); err != nil {
		return err
	}
	f := c.names[from]
	c.set(to, f)
	c.set(from, nil)
	return c.step()
}

func (c *crashing) Remove(name string) error {
	if err := c.step(); err != nil {
		return err
	}
	c.set(name, nil)
	return c.step()
}

// SyncDir waits for the names right in a directory, and no others.
func (c *crashing) SyncDir(name string) error {
	if err := c.step(); err != nil {
		return err
	}
	var rest []change
	for _, p := range c.pending {
		if filepath.Dir(p.name) == name {
			c.apply(p)
		} else {
			rest = append(rest, p)
		}
	}
	c.pending = rest
	return c.step()
}

// Lock holds nothing if it is killed here: a lock goes with its process.
func (c *crashing) Lock(string) (func(), error) {
	if err := c.step(); err != nil {
		return nil, err
	}
	c.lock.Lock()
	return c.lock.Unlock, nil
}
