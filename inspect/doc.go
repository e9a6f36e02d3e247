// Package inspect answers questions about artifacts and deployments: what can
// be configured ([Params]), what a deployment has to say ([Skeleton]), and
// where a value comes from ([Why]).
//
// It reads what the stages of the compiler made and is no stage itself.
package inspect
