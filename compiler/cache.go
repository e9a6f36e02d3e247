package compiler

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"kumiki.dev/diag"
	"kumiki.dev/internal/cache"
	"kumiki.dev/internal/program"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/spread"
	"kumiki.dev/value"
)

// maxCache is how many bytes a cache keeps. A solution of 1,000 roles takes 10 MB.
const maxCache = 1 << 30

// Cache is a directory in which runs leave what they made of services, for later
// runs to take over: of the same manifest after a change somewhere, or of another
// one with the same artifacts. Processes may share it.
type Cache struct {
	dir *cache.Dir
	// kumiki is the program itself: another one may make other solutions.
	kumiki [sha256.Size]byte
}

// DefaultCache is the directory for a user's cache.
func DefaultCache() (string, error) {
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "kumiki", "services"), err
}

// OpenCache opens a cache, and makes its directory.
func OpenCache(path string) (*Cache, error) {
	kumiki, err := program.ID()
	if err != nil {
		return nil, err
	}
	dir, err := cache.Open(path, maxCache)
	return &Cache{dir, kumiki}, err
}

// Run goes through all stages, as the function [Run] does, but takes from the cache
// what it has. Of such deployments the solution has only the bytes: it is to be
// written, not to be looked into. The error is about writing the cache, without which the
// solution is as good.
//
// Only runs without problems use the cache and add to it: what is in it knows
// nothing of places in the sources. So a deployment with warnings takes as long
// as ever.
func (c *Cache) Run(ctx context.Context, in Input) (*Result, diag.List, error) {
	if in.Role != "" { // what is kept of a service has no roles to look into
		r, problems := Run(ctx, in, EncodeStage)
		return r, problems, nil
	}
	k := newKeeper(c, in)
	in.keeper = k
	r, problems := Run(ctx, in, EncodeStage)
	if len(problems) > 0 && k.used && ctx.Err() == nil {
		in.keeper = nil
		r, problems = Run(ctx, in, EncodeStage)
	}
	if len(problems) > 0 {
		return r, problems, nil
	}
	return r, nil, k.save(r)
}

// keeper is the part of a cache that serves one run.
type keeper struct {
	cache    *Cache
	strict   bool
	closures map[*spread.Package][sha256.Size]byte
	keys     map[*value.Node]cache.Key // of the nodes that can be kept
	nodes    map[cache.Key]*value.Node // that were looked for; nil for those that are not there
	used     bool                      // whether something was taken over
	put      map[cache.Key]bool
	within   int         // so many parts, one in the other
	root     *value.Node // which has an entry however small it is
}

func newKeeper(c *Cache, in Input) *keeper {
	return &keeper{
		cache:    c,
		strict:   in.Strict,
		closures: map[*spread.Package][sha256.Size]byte{},
		keys:     map[*value.Node]cache.Key{},
		nodes:    map[cache.Key]*value.Node{},
		put:      map[cache.Key]bool{},
	}
}

// Node implements [spread.Keeper].
func (k *keeper) Node(p *spread.Package, config string) *value.Node {
	n := k.read(p, k.key(p, config))
	k.used = k.used || n != nil
	return n
}

// Made implements [spread.Keeper].
func (k *keeper) Made(p *spread.Package, config string, n *value.Node) {
	if n != nil {
		k.keys[n] = k.key(p, config)
	}
}

func (k *keeper) key(p *spread.Package, config string) cache.Key {
	h := sha256.New()
	closure := k.closure(p)
	fmt.Fprintf(h, "%x %v %x\n%s", k.cache.kumiki, k.strict, closure, config)
	return cache.Key(h.Sum(nil))
}

// closure is a hash of a package with all that it imports.
func (k *keeper) closure(p *spread.Package) [sha256.Size]byte {
	if sum, ok := k.closures[p]; ok {
		return sum
	}
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %+v\n", p.Path, p.Digest, *p.Module)
	for _, path := range sorting.Ordered(p.Imports) {
		fmt.Fprintf(h, "%q %x\n", path, k.closure(p.Imports[path]))
	}
	k.closures[p] = [sha256.Size]byte(h.Sum(nil))
	return k.closures[p]
}

// save keeps what the run has made.
func (k *keeper) save(r *Result) error {
	if r.Tree.Root.Ref.Kind == "component" {
		return nil
	}
	k.root = r.Tree.Root
	_, err := k.keep(r.Tree.Root, r.Encoded, r.Tree.Name)
	return errors.Join(err, k.cache.dir.Trim(slices.Collect(maps.Keys(k.put))))
}
