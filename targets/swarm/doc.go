// Package swarm turns a solution into a stack of Docker Swarm: the parts of one
// Compose file of version 3.13, which [Encode] writes for docker stack deploy.
//
// In comes a solution that solution.Verify accepts; out go services, networks,
// volumes, configs and secrets, and the losses. Role front of the solution shop
// becomes
//
//	services:
//	  shop-front:
//	    image: shop/front:1.0
//	    networks:
//	      shop-front-api: null        # its client channel api: it, and who serves it
//	    deploy: {endpoint_mode: dnsrr, replicas: 2, ...}
//
// Swarm accepts much that it then drops or never does: what is made here is
// checked first, and afterwards no part refers to one that is missing, no name
// is too long, and no constraint is on an attribute that nodes do not have.
// docs/swarm.md says how the model's words map, and why.
package swarm
