package model

import "embed"

// own are the hints, the examples and what they become.
//
//go:embed hints.cue examples.txtar becomes.txtar topics/*.md
var own embed.FS
