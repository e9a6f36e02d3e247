package capacity_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"kumiki.dev/capacity"
)

// BenchmarkWeigh is a cluster of 500 nodes on which 10,000 instances run, and 300 roles.
func BenchmarkWeigh(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	var site capacity.Site
	for i := range 500 {
		name := fmt.Sprintf("n%d", i)
		site.Nodes = append(site.Nodes, capacity.Node{
			Name: name, Type: one(r, "small", "large"), Labels: map[string]string{"host": name, "disk": one(r, "ssd", "hdd")}, Own: []string{"host"},
			Room: capacity.Amounts{capacity.CPU: 8000, capacity.Memory: 32 << 30, capacity.Instances: 110},
		})
		for range 20 {
			site.Running = append(site.Running, capacity.Running{Node: name, Namespace: "y", Labels: map[string]string{"role": "z"}, Asks: capacity.Amounts{capacity.CPU: int64(r.IntN(300)), capacity.Memory: 1 << 29, capacity.Instances: 1}})
		}
	}
	var demands []capacity.Demand
	for i := range 300 {
		role := fmt.Sprintf("r%d", i)
		d := capacity.Demand{Deployment: "d", Role: role, Namespace: "x", Labels: map[string]string{"role": role}, Count: int64(1 + r.IntN(20)), Asks: capacity.Amounts{capacity.CPU: int64(100 + r.IntN(1500)), capacity.Memory: 1 << 30, capacity.Instances: 1}}
		if i%10 == 0 {
			d.Apart = apartFrom(role)
		}
		demands = append(demands, d)
	}
	for b.Loop() {
		capacity.Weigh(site, demands)
	}
}
