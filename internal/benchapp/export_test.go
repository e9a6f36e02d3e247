package benchapp

// WithText is the form written in another way.
func (f Form) WithText(text string) Form {
	f.text = text
	return f
}

// Text is how the form is written, see [Form].
func (f Form) Text() string { return f.text }
