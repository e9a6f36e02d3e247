package kubernetes

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"

	"kumiki.dev/targets"
)

// PullPolicies are those of Kubernetes.
var PullPolicies = []string{"Always", "IfNotPresent", "Never"}

// Check tells what is wrong with the names in the options.
func Check(o targets.Options) error {
	if o.Namespace != "" {
		if problems := validation.IsDNS1123Label(o.Namespace); len(problems) > 0 {
			return fmt.Errorf("-n %s: %s", o.Namespace, strings.Join(problems, "; "))
		}
	}
	if o.Pull != "" && !slices.Contains(PullPolicies, o.Pull) {
		return fmt.Errorf("--pull %s: there are %s", o.Pull, strings.Join(PullPolicies, ", "))
	}
	for flag, class := range map[string]string{"--ingress-class": o.IngressClass, "--volatile-class": o.VolatileClass} {
		if problems := validation.IsDNS1123Subdomain(class); class != "" && len(problems) > 0 {
			return fmt.Errorf("%s %s: %s", flag, class, strings.Join(problems, "; "))
		}
	}
	return nil
}

// Host is the text where it is the name of a host, or of all below one (*.x).
func Host(text string) (string, error) {
	if len(validation.IsDNS1123Subdomain(text)) > 0 && len(validation.IsWildcardDNS1123Subdomain(text)) > 0 {
		return "", errors.New("that is no name of a host: small letters, digits, hyphens and dots, such as shop.example.com")
	}
	return text, nil
}

// Size is the text where it is the size of a volume.
func Size(text string) (string, error) {
	if q, err := resource.ParseQuantity(text); err != nil || q.Sign() <= 0 {
		return "", errors.New("that is no size, such as 10Gi")
	}
	return text, nil
}
