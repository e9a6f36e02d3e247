package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// contents is the list of the modules that a program was built from, in CycloneDX's
// form, as the program itself has it.
func contents(v version, b binary) ([]byte, error) {
	info, err := buildinfo.Read(bytes.NewReader(b.data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.name, err)
	}
	program := cdx.Component{
		Type: cdx.ComponentTypeApplication, BOMRef: "pkg:golang/" + info.Main.Path + "@" + v.name,
		Name: strings.TrimSuffix(b.name, ".exe"), Version: v.name, PackageURL: "pkg:golang/" + info.Main.Path + "@" + v.name,
		Licenses:   &cdx.Licenses{{License: &cdx.License{ID: "Apache-2.0"}}},
		Hashes:     &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hexSum(b.data)}},
		Properties: &[]cdx.Property{{Name: "commit", Value: v.commit}, {Name: "platform", Value: b.on.system + "/" + b.on.processor}},
	}
	parts := []cdx.Component{{
		Type: cdx.ComponentTypeLibrary, BOMRef: "pkg:golang/std@" + info.GoVersion, Name: "std",
		Version: info.GoVersion, PackageURL: "pkg:golang/std@" + info.GoVersion,
	}}
	for _, m := range info.Deps {
		if m.Replace != nil { // kumiki itself, of which the manager is made
			m.Version = v.name
		}
		part := cdx.Component{Type: cdx.ComponentTypeLibrary, BOMRef: "pkg:golang/" + m.Path + "@" + m.Version, Name: m.Path, Version: m.Version, PackageURL: "pkg:golang/" + m.Path + "@" + m.Version}
		if sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:")); err == nil && m.Sum != "" {
			part.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(sum)}} // of go.sum: of names and digests of all files
		}
		parts = append(parts, part)
	}
	slices.SortFunc(parts, func(a, b cdx.Component) int { return strings.Compare(a.BOMRef, b.BOMRef) })
	refs := make([]string, len(parts))
	for i, p := range parts {
		refs[i] = p.BOMRef
	}
	list := cdx.NewBOM()
	list.Metadata = &cdx.Metadata{Component: &program, Timestamp: v.date.Format(time.RFC3339)}
	list.Components = &parts
	list.Dependencies = &[]cdx.Dependency{{Ref: program.BOMRef, Dependencies: &refs}}
	var out bytes.Buffer
	err = cdx.NewBOMEncoder(&out, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(list, cdx.SpecVersion1_6)
	return out.Bytes(), err
}
