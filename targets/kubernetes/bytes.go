package kubernetes

import (
	"errors"

	"k8s.io/apimachinery/pkg/api/resource"
)

// Bytes reads an amount of memory as Kubernetes writes them: "4Gi", "500M".
func Bytes(text string) (int64, error) {
	q, err := resource.ParseQuantity(text)
	if err != nil || q.Sign() < 0 {
		return 0, errors.New("write a size, such as 4Gi or 500M")
	}
	return q.Value(), nil
}
