// Package swarm is the [live.Target] of a Docker Swarm: the services, networks and configs that
// docker stack deploy would make of a solution's stack, made through the engine's API, with
// configs as the record.
//
// Swarm replaces the whole of a service's fields, so that all of them count as given: what
// somebody adds is drift. Each change names the version that it was decided on, and is
// refused where the service has changed since. Swarm tries nothing without doing it: what is
// looked at before anything is written is what the services refer to, and the ports that
// others publish.
//
// What docker's own client makes of a stack file, docker/cli's convert, needs six times the
// packages of the API's client, and reads files and an environment. The stack of a solution
// has a small part of what a stack file may have, so that its specs are made here; test/swarm
// holds them against docker's.
package swarm
