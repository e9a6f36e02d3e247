// Package assist helps whoever writes a deployment: it says what can be configured
// in an artifact ([Table] and the other forms), what a deployment has to say
// ([Skeleton]), where a value comes from ([Why]), what another one would change
// ([Try]), what nothing uses ([UnusedConfig]), and which edits mend problems ([Fixes]).
//
// It reads what the stages of the compiler made and is no stage itself.
package assist
