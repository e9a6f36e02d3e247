// Package depends reads in the sources of an artifact on which fields of its config
// each part of it depends.
//
// What comes in: parsed files, with their imports. What goes out: for a path of the
// artifact, the paths of config that its value can depend on. In
//
//	#Artifact: description: {
//		config: parameter: {port: uint16, host: string}
//		let at = config.parameter
//		srv: server: web: port: at.port
//		code: main: mapping: env: URL: value: "\(at.host):\(srv.server.web.port)"
//	}
//
// srv depends on parameter.port, and code on parameter.host and parameter.port.
//
// Nothing is evaluated. What is certain is one direction: a value stays as it is
// while all that it depends on does. It holds because an expression of CUE's is a
// function of what it refers to. So the sources become a tree of fields, each with
// all that is written for it (a [node]); a definition that something is made of is
// written there once more, and its references lead to the fields that it becomes.
// Where it cannot be told what an expression refers to, that is all it might.
package depends
