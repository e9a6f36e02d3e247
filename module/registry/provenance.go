package registry

import (
	"context"
	"encoding/json"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"time"

	"cuelang.org/go/mod/modregistry"
	"cuelang.org/go/mod/module"

	"kumiki.dev/load"
)

// The types of a provenance: a statement of in-toto with SLSA's predicate, which
// other tools read too.
const (
	provenanceType  = "application/vnd.in-toto+json"
	statementType   = "https://in-toto.io/Statement/v1"
	predicateType   = "https://slsa.dev/provenance/v1"
	publishType     = "https://kumiki.dev/publish/v1"
	publisherID     = "https://kumiki.dev"
	dependencyProto = "pkg:cue/"
)

// Provenance says what a published module was made from.
type Provenance struct {
	Type          string     `json:"_type"`
	Subject       []resource `json:"subject"`
	PredicateType string     `json:"predicateType"`
	Predicate     predicate  `json:"predicate"`
}

type resource struct {
	Name        string            `json:"name,omitempty"`
	URI         string            `json:"uri,omitempty"`
	Digest      map[string]string `json:"digest,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

type predicate struct {
	BuildDefinition struct {
		BuildType            string            `json:"buildType"`
		ExternalParameters   map[string]string `json:"externalParameters"`
		ResolvedDependencies []resource        `json:"resolvedDependencies,omitempty"`
	} `json:"buildDefinition"`
	RunDetails struct {
		Builder struct {
			ID      string            `json:"id"`
			Version map[string]string `json:"version,omitempty"`
		} `json:"builder"`
	} `json:"runDetails"`
}

// commit is the state of the version control system that a module was in.
type commit struct {
	hash, origin string
	time         time.Time
	clean        bool
}

// provenance says what the archive of a module was made from. It is the same
// for the same sources: there is no time in it but the commit's.
func (p Publication) provenance(ctx context.Context, v module.Version, archive string, selected []module.Version, c *commit) ([]byte, error) {
	s := Provenance{Type: statementType, PredicateType: predicateType}
	s.Subject = []resource{{Name: v.String() + ".zip", Digest: map[string]string{"sha256": archive}}}
	d := &s.Predicate.BuildDefinition
	d.BuildType = publishType
	d.ExternalParameters = map[string]string{"module": v.Path(), "version": v.Version()}
	if c != nil {
		d.ResolvedDependencies = append(d.ResolvedDependencies, c.resource())
	}
	for _, dep := range selected {
		files, err := fetch(ctx, p.Registry, dep)
		if err != nil {
			return nil, err
		}
		sum, err := load.ModuleDigest(files)
		if err != nil {
			return nil, err
		}
		// The digest is that of kumiki.lock: over the files, not over an archive.
		d.ResolvedDependencies = append(d.ResolvedDependencies, resource{
			Name: dep.String(), URI: dependencyProto + dep.BasePath() + "@" + dep.Version(),
			Digest: map[string]string{"kumikiLock": strings.TrimPrefix(sum, "sha256:")},
		})
	}
	s.Predicate.RunDetails.Builder.ID = publisherID
	if p.Tool != "" {
		s.Predicate.RunDetails.Builder.Version = map[string]string{"kumiki": p.Tool}
	}
	return json.MarshalIndent(s, "", "  ")
}

func (c *commit) resource() resource {
	r := resource{URI: c.origin, Digest: map[string]string{"gitCommit": c.hash}, Annotations: map[string]string{"time": c.time.Format(time.RFC3339)}}
	if !c.clean {
		r.Annotations["dirty"] = "true"
	}
	return r
}

// metadata is what cue says of the commit in the module's own manifest; nil if
// the module is not what the commit has.
func (c *commit) metadata() *modregistry.Metadata {
	if c == nil || !c.clean {
		return nil
	}
	return &modregistry.Metadata{VCSType: "git", VCSCommit: c.hash, VCSCommitTime: c.time}
}

// commitOf asks git for the commit that dir is in; nil without git, or before
// the first commit.
func commitOf(ctx context.Context, dir string) *commit {
	if !inGit(dir) {
		return nil
	}
	said, err := git(ctx, dir, "show", "-s", "--no-show-signature", "--format=%H %ct", "HEAD")
	if err != nil {
		return nil
	}
	hash, seconds, _ := strings.Cut(strings.TrimSpace(said), " ")
	at, err := time.ParseDuration(seconds + "s")
	if err != nil {
		return nil
	}
	c := &commit{hash: hash, time: time.Unix(0, 0).Add(at).UTC()}
	changed, err := git(ctx, dir, "status", "--porcelain", "--", ".")
	c.clean = err == nil && changed == ""
	if origin, err := git(ctx, dir, "config", "--get", "remote.origin.url"); err == nil {
		c.origin = withoutSecrets(strings.TrimSpace(origin))
	}
	return c
}

// withoutSecrets is where a repository is, for everybody to read: a password
// in it is left out, and so is a directory of this machine.
func withoutSecrets(origin string) string {
	u, err := url.Parse(origin)
	switch {
	case err != nil && strings.Contains(origin, "@"): // git@example.com:shop.git
		return "git+ssh://" + strings.Replace(origin, ":", "/", 1)
	case err != nil || u.Host == "" || u.Scheme == "file":
		return ""
	}
	if _, secret := u.User.Password(); secret || u.Scheme != "ssh" {
		u.User = nil
	}
	u.RawQuery, u.Fragment = "", ""
	return "git+" + strings.TrimPrefix(u.String(), "git+")
}

// git runs git in a directory; what a repository configures to be run is not.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_OPTIONAL_LOCKS=0")
	text, err := cmd.Output()
	return string(text), err
}
