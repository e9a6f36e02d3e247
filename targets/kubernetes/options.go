package kubernetes

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"

	"kumiki.dev/internal/filter"
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
	if o.CreateNamespace && o.Namespace == "" {
		return errors.New("--create-namespace: say with -n which")
	}
	for _, text := range o.APIServers {
		if addressRange(text) == "" {
			return fmt.Errorf("--api-server %s: write an address, or a range such as 10.0.0.0/28", text)
		}
	}
	if o.Pull != "" && !filter.Contains(PullPolicies, o.Pull) {
		return fmt.Errorf("--pull %s: there are %s", o.Pull, strings.Join(PullPolicies, ", "))
	}
	for flag, class := range map[string]string{"--ingress-class": o.IngressClass, "--volatile-class": o.VolatileClass} {
		if problems := validation.IsDNS1123Subdomain(class); class != "" && len(problems) > 0 {
			return fmt.Errorf("%s %s: %s", flag, class, strings.Join(problems, "; "))
		}
	}
	return nil
}

// Namespace is the text where it is the name of a namespace.
func Namespace(text string) (string, error) {
	if problems := validation.IsDNS1123Label(text); len(problems) > 0 {
		return "", errors.New(strings.Join(problems, "; "))
	}
	return text, nil
}

// addressRange is an address, or a range of them, as NetworkPolicies have it; "" for what is
// neither.
func addressRange(text string) string {
	if address, err := netip.ParseAddr(text); err == nil && address.Zone() == "" {
		return netip.PrefixFrom(address, address.BitLen()).String()
	}
	prefix, err := netip.ParsePrefix(text)
	if err != nil || prefix.Masked() != prefix {
		return ""
	}
	return prefix.String()
}

// Host is the text where it is the name of a host, or of all below one (*.x).
func Host(text string) (string, error) {
	if len(validation.IsDNS1123Subdomain(text)) > 0 && len(validation.IsWildcardDNS1123Subdomain(text)) > 0 {
		return "", errors.New("that is no name of a host: small letters, digits, hyphens and dots, such as shop.example.com")
	}
	return text, nil
}

// Class is the text where it is the name of a storage class.
func Class(text string) (string, error) {
	if len(validation.IsDNS1123Subdomain(text)) > 0 {
		return "", errors.New("that is no name of a class: small letters, digits, hyphens and dots")
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
