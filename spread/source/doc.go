// Package source has the packages that a spread is made of, as they are written, and answers
// what their syntax tells: what a package defines and imports, what a name in it stands for.
//
// What comes in: files as the loader parsed them ([Package]). What goes out: answers, and the
// same files as [kumiki.dev/spread/depends] reads them ([Library]). Nothing here is evaluated.
package source
