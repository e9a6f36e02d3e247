package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// furnish creates what a cloud would: nodes, a default storage class and a
// default ingress class.
func (u *up) furnish(ctx context.Context) error {
	_, err := u.client.StorageV1().StorageClasses().Create(ctx, &storagev1.StorageClass{
		ObjectMeta:  metav1.ObjectMeta{Name: "standard", Annotations: map[string]string{"storageclass.kubernetes.io/is-default-class": "true"}},
		Provisioner: "kubernetes.io/host-path",
	}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	_, err = u.client.NetworkingV1().IngressClasses().Create(ctx, &networkingv1.IngressClass{
		ObjectMeta: metav1.ObjectMeta{Name: "test", Annotations: map[string]string{"ingressclass.kubernetes.io/is-default-class": "true"}},
		Spec:       networkingv1.IngressClassSpec{Controller: "example.com/none"},
	}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	for i := range u.nodes {
		if err := u.addNode(ctx, i+1); err != nil {
			return err
		}
	}
	if err := u.poll(ctx, time.Minute, "nodes", func() error { return u.nodesReady(ctx) }); err != nil {
		return err
	}
	return u.poll(ctx, time.Minute, "default service account", func() error {
		_, err := u.client.CoreV1().ServiceAccounts("default").Get(ctx, "default", metav1.GetOptions{})
		return err
	})
}

// addNode creates a large node in a zone of its own.
func (u *up) addNode(ctx context.Context, number int) error {
	room := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("64"), corev1.ResourceMemory: resource.MustParse("512Gi"), corev1.ResourceEphemeralStorage: resource.MustParse("1Ti"), corev1.ResourcePods: resource.MustParse("1000")}
	name := "node-" + strconv.Itoa(number)
	_, err := u.client.CoreV1().Nodes().Create(ctx, &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
			"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
			"topology.kubernetes.io/zone": "zone-" + strconv.Itoa(number),
		}},
		Status: corev1.NodeStatus{Capacity: room, Allocatable: room},
	}, metav1.CreateOptions{})
	return err
}

func (u *up) nodesReady(ctx context.Context) error {
	nodes, err := u.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, n := range nodes.Items {
		ready := false
		for _, c := range n.Status.Conditions {
			ready = ready || c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
		}
		if !ready || len(n.Spec.Taints) > 0 {
			return fmt.Errorf("%s is not ready", n.Name)
		}
	}
	return nil
}
