package lsp

import "encoding/json"

// The part of the Language Server Protocol 3.17 that the server speaks. Names
// and meanings are the protocol's.
type (
	position struct {
		Line      int `json:"line"`      // from 0
		Character int `json:"character"` // from 0, in UTF-16 code units
	}
	textRange struct {
		Start position `json:"start"`
		End   position `json:"end"`
	}
	location struct {
		URI   string    `json:"uri"`
		Range textRange `json:"range"`
	}
	textEdit struct {
		Range   textRange `json:"range"`
		NewText string    `json:"newText"`
	}
	workspaceEdit struct {
		Changes map[string][]textEdit `json:"changes"`
	}
	relatedInformation struct {
		Location location `json:"location"`
		Message  string   `json:"message"`
	}
	diagnostic struct {
		Range    textRange            `json:"range"`
		Severity int                  `json:"severity"`
		Code     string               `json:"code"`
		Source   string               `json:"source"`
		Message  string               `json:"message"`
		Related  []relatedInformation `json:"relatedInformation,omitempty"`
	}
	publishDiagnosticsParams struct {
		URI         string       `json:"uri"`
		Version     *int         `json:"version,omitempty"`
		Diagnostics []diagnostic `json:"diagnostics"`
	}
	documentReport struct {
		Kind  string       `json:"kind"`
		Items []diagnostic `json:"items"`
	}
	command struct {
		Title     string `json:"title"`
		Command   string `json:"command"`
		Arguments []any  `json:"arguments,omitempty"`
	}
	codeAction struct {
		Title       string         `json:"title"`
		Kind        string         `json:"kind"`
		Diagnostics []diagnostic   `json:"diagnostics,omitempty"`
		IsPreferred bool           `json:"isPreferred,omitempty"`
		Edit        *workspaceEdit `json:"edit,omitempty"`
	}
	codeLens struct {
		Range   textRange `json:"range"`
		Command command   `json:"command"`
	}
	markup struct {
		Kind  string `json:"kind"`
		Value string `json:"value"`
	}
	hover struct {
		Contents markup     `json:"contents"`
		Range    *textRange `json:"range,omitempty"`
	}
	inlayHint struct {
		Position    position `json:"position"`
		Label       string   `json:"label"`
		PaddingLeft bool     `json:"paddingLeft"`
	}
	completionItem struct {
		Label         string    `json:"label"`
		Kind          int       `json:"kind"`
		Detail        string    `json:"detail,omitempty"`
		Documentation string    `json:"documentation,omitempty"`
		FilterText    string    `json:"filterText,omitempty"`
		SortText      string    `json:"sortText,omitempty"`
		TextEdit      *textEdit `json:"textEdit,omitempty"`
	}
	completionList struct {
		IsIncomplete bool  `json:"isIncomplete"`
		Items        []any `json:"items"` // ours, and CUE's as they came
	}
)

// What the client sends.
type (
	folder struct {
		URI string `json:"uri"`
	}
	initializeParams struct {
		RootURI      string   `json:"rootUri"`
		Folders      []folder `json:"workspaceFolders"`
		Capabilities struct {
			Workspace struct {
				DidChangeWatchedFiles struct {
					DynamicRegistration bool `json:"dynamicRegistration"`
				} `json:"didChangeWatchedFiles"`
				InlayHint refreshable `json:"inlayHint"`
				CodeLens  refreshable `json:"codeLens"`
			} `json:"workspace"`
		} `json:"capabilities"`
		Options struct {
			// Diagnostics is "pull" for a client that asks for them.
			Diagnostics string `json:"diagnostics"`
			// Modules are what vet's --modules gives, relative to the first folder.
			Modules []string `json:"modules"`
		} `json:"initializationOptions"`
	}
	refreshable struct {
		RefreshSupport bool `json:"refreshSupport"`
	}
	documentID struct {
		URI     string `json:"uri"`
		Version int    `json:"version"`
		Text    string `json:"text"`
	}
	// documentParams covers every request about a document.
	documentParams struct {
		TextDocument documentID      `json:"textDocument"`
		Position     position        `json:"position"`
		Range        textRange       `json:"range"`
		Changes      []contentChange `json:"contentChanges"`
		Context      struct {
			Only []string `json:"only"`
		} `json:"context"`
	}
	contentChange struct {
		Range *textRange `json:"range"`
		Text  string     `json:"text"`
	}
	watchedFilesParams struct {
		Changes []struct {
			URI string `json:"uri"`
		} `json:"changes"`
	}
	foldersParams struct {
		Event struct {
			Added   []folder `json:"added"`
			Removed []folder `json:"removed"`
		} `json:"event"`
	}
	commandParams struct {
		Command   string            `json:"command"`
		Arguments []json.RawMessage `json:"arguments"`
	}
	cancelParams struct {
		ID json.RawMessage `json:"id"`
	}
)

// Numbers of the protocol.
const (
	severityError   = 1
	severityWarning = 2

	completeField = 5
	completeValue = 12

	incrementalSync = 2
)
