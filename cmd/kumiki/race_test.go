//go:build race

package main

// raced tells that the race detector is on, under which a command takes ten times as long.
const raced = true
