package kubernetes

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"

	"kumiki.dev/engine"
)

func isSecret(about engine.About) bool { return about.Kind == "Secret" && about.Version == "v1" }

// sealed returns a Secret with hashes in place of what it holds. They are comparable for one
// Secret only.
func sealed(id engine.ID, object map[string]any) map[string]any {
	out := make(map[string]any, len(object))
	data := map[string]any{}
	for key, value := range object {
		members, _ := value.(map[string]any)
		switch key {
		case "data":
			for name, text := range members {
				raw, err := base64.StdEncoding.DecodeString(fmt.Sprint(text))
				if err != nil {
					raw = []byte(fmt.Sprint(text))
				}
				if _, given := data[name]; !given {
					data[name] = seal(id, raw)
				}
			}
		case "stringData":
			for name, text := range members {
				data[name] = seal(id, []byte(fmt.Sprint(text)))
			}
		default:
			out[key] = value
		}
	}
	if len(data) > 0 {
		out["data"] = data
	}
	return out
}

func seal(id engine.ID, value []byte) string {
	h := hmac.New(sha256.New, []byte(id.Namespace+"/"+id.Name))
	h.Write(value)
	return "hmac-sha256:" + hex.EncodeToString(h.Sum(nil))
}
