package solution

// beside checks what goes with the solution and says nothing of its deployments: the service
// level agreement, and objects.
func (v *verifier) beside() {
	if v.s.SLA != nil {
		_, ok := v.s.SLA.(map[string]any)
		v.needs(ok, root.in("sla"), "is no object")
	}
	for name, value := range each(v, v.s.Objects) {
		p := root.in("objects").in(name)
		object, ok := value.(map[string]any)
		if !v.needs(ok, p, "is no object") {
			continue
		}
		metadata, ok := object["metadata"].(map[string]any)
		v.needs(ok, p.in("metadata"), "is no object: it says what the object is called")
		v.text(p.in("apiVersion"), object["apiVersion"])
		v.text(p.in("kind"), object["kind"])
		v.text(p.in("metadata").in("name"), metadata["name"])
	}
}

// text checks that a value is a text that is not empty.
func (v *verifier) text(p *at, value any) {
	text, ok := value.(string)
	v.needs(ok && text != "", p, "is missing: it is a text")
}
