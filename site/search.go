package main

import "encoding/json"

// index is what the search looks through: a script, since a page that is opened as a file
// may read nothing else.
func index(nav []section, pages map[string]*page) []byte {
	type found struct {
		Page string `json:"p"`
		Head string `json:"h"`
		At   string `json:"a"`
		Text string `json:"t"`
	}
	list := []found{}
	for _, s := range nav {
		for _, file := range s.Pages {
			p := pages[file]
			for _, q := range p.Parts {
				at := p.Out
				if q.Level > 1 {
					at += "#" + q.ID
				}
				list = append(list, found{p.Title, q.Head, at, cut(q.Text)})
			}
		}
	}
	text, err := json.Marshal(list)
	if err != nil {
		panic(err) // these are texts
	}
	return append(append([]byte("window.searchIndex = "), text...), ";\n"...)
}

// cut is the beginning of a text: what is said first is what it is about.
func cut(text string) string {
	const most = 700
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most])
	}
	return text
}
