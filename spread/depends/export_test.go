package depends

// Steps counts what the walks through sources have come by.
func (s *Sources) Steps() int { return s.reader.steps }
