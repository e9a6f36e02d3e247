package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"kumiki.dev/run/access"
	"kumiki.dev/run/record"
)

func (s *Server) marshal(v any) ([]byte, error) { return json.Marshal(v) }

// op describes an operation of the interface.
func op(id, method, path, summary string, role access.Role, status int) huma.Operation {
	return huma.Operation{
		OperationID: id, Method: method, Path: path, Summary: summary, DefaultStatus: status, MaxBodyBytes: maxBody,
		Metadata: map[string]any{"role": role}, Description: "For the role " + string(role) + ".",
	}
}

// raw says what the answer of an operation is, where that is not JSON of a type of Go.
func raw(o huma.Operation, kind string) huma.Operation {
	is := &huma.Schema{Type: huma.TypeString, Format: "binary"}
	if kind == "application/json" {
		is = &huma.Schema{Type: huma.TypeObject}
	}
	o.Responses = map[string]*huma.Response{"200": {Description: "OK", Content: map[string]*huma.MediaType{kind: {Schema: is}}}}
	return o
}

// describePlans adds what changes answer to a dry run: the same, and at once.
func (s *Server) describePlans() {
	for _, path := range s.api.OpenAPI().Paths {
		for _, o := range []*huma.Operation{path.Post, path.Put, path.Patch, path.Delete} {
			if o == nil || o.Responses["202"] == nil || !slices.ContainsFunc(o.Parameters, func(p *huma.Param) bool { return p.Name == "dryRun" }) {
				continue
			}
			o.Responses["200"] = &huma.Response{Description: "The plan of a dry run", Content: o.Responses["202"].Content}
		}
	}
}

// nothing answers requests for paths and methods that the interface does not have.
func (s *Server) nothing(w http.ResponseWriter, r *http.Request) {
	var allowed []string
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		other := r.Clone(r.Context())
		other.Method = method
		if _, pattern := s.mux.Handler(other); pattern != "/" {
			allowed = append(allowed, method)
		}
	}
	if len(allowed) == 0 {
		s.refuse(w, problem(http.StatusNotFound, "manager/not-found", fmt.Sprintf("there is nothing at %q: /openapi.json describes all that there is", r.URL.Path)))
		return
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	s.refuse(w, problem(http.StatusMethodNotAllowed, "manager/method", fmt.Sprintf("%s does not go here: there are %s", r.Method, strings.Join(allowed, ", "))))
}

// whole lets only callers without a selector pass.
func whole(o huma.Operation) huma.Operation {
	o.Metadata["whole"] = true
	o.Description = strings.TrimSuffix(o.Description, ".") + ", without a selector."
	return o
}

// register adds all of them.
func (s *Server) register() {
	upload := op("uploadBundle", http.MethodPost, "/v1/bundles", "Keep a bundle, for an hour or as long as a manifest names it", access.Deployer, http.StatusCreated)
	upload.MaxBodyBytes = maxBundle
	huma.Register(s.api, upload, s.uploadBundle)
	s.registerDeployments()
	s.registerPlacements()
	s.registerHalts()
	s.registerManifests()
	huma.Register(s.api, op("listTypes", http.MethodGet, "/v1/types", "List the artifacts that deployments use", access.Viewer, 0), s.listTypes)
	huma.Register(s.api, op("listInstances", http.MethodGet, "/v1/types/{type}/instances", "List the places that an artifact fills; * stands for all. The type's slashes are written %2F", access.Viewer, 0), s.listInstances)
	huma.Register(s.api, op("listEnvironments", http.MethodGet, "/v1/environments", "List the environments", access.Viewer, 0), s.listEnvironments)
	huma.Register(s.api, op("getEnvironment", http.MethodGet, "/v1/environments/{name}", "Read an environment", access.Viewer, 0), s.getEnvironment)
	huma.Register(s.api, op("putEnvironment", http.MethodPut, "/v1/environments/{name}", "Make or change an environment", access.Admin, 0), s.putEnvironment)
	huma.Register(s.api, op("deleteEnvironment", http.MethodDelete, "/v1/environments/{name}", "Remove an environment that no deployment is in", access.Admin, http.StatusNoContent), s.deleteEnvironment)
	huma.Register(s.api, op("listNodes", http.MethodGet, "/v1/nodes", "List the nodes of environments, and the instances on them", access.Viewer, 0), s.listNodes)
	huma.Register(s.api, op("getEngine", http.MethodGet, "/v1/engine", "Say whether operations are carried out", access.Viewer, 0), s.getEngine)
	huma.Register(s.api, whole(op("putEngine", http.MethodPut, "/v1/engine", "Let nothing be changed anywhere, or let it be again", access.Operator, 0)), s.putEngine)
	huma.Register(s.api, op("listOperations", http.MethodGet, "/v1/operations", "List the operations", access.Viewer, 0), s.listOperations)
	huma.Register(s.api, op("getOperation", http.MethodGet, "/v1/operations/{id}", "Read an operation, or wait for its end", access.Viewer, 0), s.getOperation)
	huma.Register(s.api, op("cancelOperation", http.MethodPost, "/v1/operations/{id}/cancel", "Let an operation go no further", access.Deployer, http.StatusAccepted), s.cancelOperation)
	huma.Register(s.api, raw(op("watch", http.MethodGet, "/v1/watch/{collection}", "Tell of changes as server-sent events, from a revision on", access.Viewer, 0), "text/event-stream"), s.watch)
	huma.Register(s.api, op("listAudit", http.MethodGet, "/v1/audit", "List who has changed what, each chained to the one before by its hash", access.Admin, 0), s.listAudit)
	huma.Register(s.api, raw(op("getBackup", http.MethodGet, "/v1/backup", "Read all that is kept, as kumikid restore takes it: records of one revision and the contents that they name", access.Admin, 0), "application/gzip"), s.getBackup)
	huma.Register(s.api, op("getMe", http.MethodGet, "/v1/me", "Say who asks", access.Viewer, 0), s.getMe)
	huma.Register(s.api, raw(op("getMetrics", http.MethodGet, "/metrics", "Read what this server counts and measures, as Prometheus has it: no names of deployments", access.Viewer, 0), "text/plain"), s.getMetrics)
	huma.Register(s.api, op("listTokens", http.MethodGet, "/v1/tokens", "List whose tokens there are", access.Admin, 0), s.listTokens)
	huma.Register(s.api, op("createToken", http.MethodPost, "/v1/tokens", "Make a token, which is shown this once", access.Admin, http.StatusCreated), s.createToken)
	huma.Register(s.api, op("deleteToken", http.MethodDelete, "/v1/tokens/{name}", "Take a token back", access.Admin, http.StatusNoContent), s.deleteToken)
}

func (s *Server) registerDeployments() {
	huma.Register(s.api, op("listDeployments", http.MethodGet, "/v1/deployments", "List the deployments", access.Viewer, 0), s.listDeployments)
	huma.Register(s.api, op("createDeployment", http.MethodPost, "/v1/deployments", "Make a deployment", access.Deployer, http.StatusAccepted), s.createDeployment)
	huma.Register(s.api, op("getDeployment", http.MethodGet, "/v1/deployments/{name}", "Read a deployment", access.Viewer, 0), s.getDeployment)
	huma.Register(s.api, op("putDeployment", http.MethodPut, "/v1/deployments/{name}", "Give a deployment another input; with If-None-Match: * make it", access.Deployer, http.StatusAccepted), s.putDeployment)
	huma.Register(s.api, op("patchDeployment", http.MethodPatch, "/v1/deployments/{name}", "Change single values of a deployment", access.Deployer, http.StatusAccepted), s.patchDeployment)
	huma.Register(s.api, op("deleteDeployment", http.MethodDelete, "/v1/deployments/{name}", "Remove what runs, and then the deployment; its manifests stay", access.Deployer, http.StatusAccepted), s.deleteDeployment)
	huma.Register(s.api, op("rollbackDeployment", http.MethodPost, "/v1/deployments/{name}/rollback", "Go back to a manifest", access.Deployer, http.StatusAccepted), s.rollbackDeployment)
	huma.Register(s.api, op("setMaintenance", http.MethodPut, "/v1/deployments/{name}/maintenance", "Let nothing of a deployment be changed, or let it be again", access.Operator, 0), s.setMaintenance)
	huma.Register(s.api, op("getStatus", http.MethodGet, "/v1/deployments/{name}/status", "Look at what runs of a deployment", access.Viewer, 0), s.getStatus)
}

func (s *Server) registerHalts() {
	const of, node = "/v1/deployments/{name}", "/v1/environments/{name}/nodes/{node}"
	huma.Register(s.api, op("stopDeployment", http.MethodPost, of+"/stop", "Let no instances of a deployment or role run, until it is started", access.Deployer, http.StatusAccepted), s.halted(record.Stop))
	huma.Register(s.api, op("startDeployment", http.MethodPost, of+"/start", "Let the instances of what was stopped run again", access.Deployer, http.StatusAccepted), s.halted(record.Start))
	huma.Register(s.api, op("restartDeployment", http.MethodPost, of+"/restart", "Replace the instances of a deployment or role, or one of them, by new ones", access.Deployer, http.StatusAccepted), s.halted(record.Restart))
	huma.Register(s.api, raw(op("getLogs", http.MethodGet, of+"/logs", "Read what instances have written, as server-sent events", access.Deployer, 0), "text/event-stream"), s.getLogs)
	huma.Register(s.api, whole(op("moveNode", http.MethodPost, node+"/move", "Let instances leave a node for others", access.Operator, http.StatusAccepted)), s.moved(record.MoveNode))
	huma.Register(s.api, whole(op("drainNode", http.MethodPost, node+"/drain", "Take the instances from a node, and let it take no new ones", access.Operator, http.StatusAccepted)), s.moved(record.DrainNode))
	huma.Register(s.api, whole(op("openNode", http.MethodPost, node+"/open", "Let a node that was drained take instances again", access.Operator, http.StatusAccepted)), s.moved(record.OpenNode))
}

func (s *Server) registerPlacements() {
	huma.Register(s.api, op("listTemplates", http.MethodGet, "/v1/templates", "List the templates, and how each is in its environments", access.Viewer, 0), s.listTemplates)
	huma.Register(s.api, whole(op("listPlacements", http.MethodGet, "/v1/placements", "List the placements", access.Viewer, 0)), s.listPlacements)
	huma.Register(s.api, whole(op("createPlacement", http.MethodPost, "/v1/placements", "Bring the templates of a tree to the environments that they are for", access.Deployer, http.StatusAccepted)), s.createPlacement)
	huma.Register(s.api, whole(op("getPlacement", http.MethodGet, "/v1/placements/{id}", "Read a placement with its cells, or wait until it rests", access.Viewer, 0)), s.getPlacement)
	huma.Register(s.api, whole(op("approvePlacement", http.MethodPost, "/v1/placements/{id}/approve", "Let a placement go on that is held", access.Operator, http.StatusAccepted)), s.approvePlacement)
	huma.Register(s.api, whole(op("cancelPlacement", http.MethodPost, "/v1/placements/{id}/cancel", "Let a placement go no further", access.Deployer, http.StatusAccepted)), s.cancelPlacement)
}

func (s *Server) registerManifests() {
	const of = "/v1/deployments/{name}/manifests"
	huma.Register(s.api, op("listManifests", http.MethodGet, of, "List the manifests of a deployment, also of one that is gone", access.Viewer, 0), s.listManifests)
	huma.Register(s.api, op("getManifest", http.MethodGet, of+"/{number}", "Read a manifest", access.Viewer, 0), s.getManifest)
	huma.Register(s.api, raw(op("getInput", http.MethodGet, of+"/{number}/input", "Read the bundle that a manifest was compiled from", access.Viewer, 0), "application/zip"), s.getInput)
	huma.Register(s.api, raw(op("getSolution", http.MethodGet, of+"/{number}/solution", "Read the solution that a manifest was compiled to", access.Viewer, 0), "application/json"), s.getSolution)
	huma.Register(s.api, op("getLayout", http.MethodGet, of+"/{number}/layout", "Read the tree of roles that a solution was made of", access.Viewer, 0), s.getLayout)
	huma.Register(s.api, op("getObjects", http.MethodGet, of+"/{number}/objects", "Read the objects that are made of a manifest", access.Viewer, 0), s.getObjects)
}
