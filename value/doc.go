// Package value is finished configuration, without CUE: plain [Data] in which every
// leaf remembers where it was written and who gave it, and the [Tree] of a deployment's
// artifacts with the configuration that reached each.
package value
