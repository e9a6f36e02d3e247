// Package plan says what a new version of a solution does to the instances of
// an old one, before anything is applied.
//
// In come two solutions that solution.Verify accepts, either of which may be
// nil for nothing, and, where a target is known, the objects that it makes of
// both; out comes a [Plan]: one entry for each deployment and role, with a class
// and the fields behind it, and the objects that change. With
//
//	role web: 2 instances of shop/web:2.3.1      # old
//	role web: 4 instances of shop/web:2.3.2      # new
//
// the entry of shop/web is a rollout with two changes, config.scale.hsize and
// code.web.image.tag. Nothing is read or written here: no cluster, no sources.
//
// Afterwards every deployment and role of both solutions is in one entry, and,
// with a target, exactly those are named whose running instances are replaced.
package plan
