package query

import (
	"bytes"
	"fmt"
	"html"
	"strconv"
)

// The picture of a sweep: its size, and where its curves are in it.
const (
	sweepWidth, sweepHeight = 720, 400
	left, right             = 90, 630
	top, bottom             = 60, 340
)

// SVG draws the processors and the memory that all roles take together, each on a scale of
// its own from nothing to the most.
func (s *Sweep) SVG() []byte {
	var b bytes.Buffer
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" font-family="sans-serif" font-size="12">`, sweepWidth, sweepHeight)
	line(`<rect width="%d" height="%d" fill="#ffffff"/>`, sweepWidth, sweepHeight)
	line(`<text x="%d" y="24" font-size="14">%s</text>`, left, html.EscapeString(s.Field))
	line(`<path d="M%d %dV%dH%d" fill="none" stroke="#444444"/>`, left, top, bottom, right)
	s.curve(line, "CPU", "#1565c0", left-8, "end", func(t Size) int64 { return t.CPU }, CPUText)
	s.curve(line, "memory", "#2e7d32", right+8, "start", func(t Size) int64 { return t.Memory }, MemoryText)
	for i, p := range s.Points {
		if i == 0 || i == len(s.Points)-1 {
			line(`<text x="%s" y="%d" text-anchor="middle">%d</text>`, s.x(p.Load), bottom+18, p.Load)
		}
	}
	if s.Breaks != nil {
		line(`<path d="M%s %dV%d" stroke="#c62828" stroke-dasharray="4 3"/>`, s.x(*s.Breaks), top, bottom)
		line(`<text x="%s" y="%d" text-anchor="end" fill="#c62828">not borne from %d on</text>`, s.x(*s.Breaks), bottom+34, *s.Breaks)
	}
	line("</svg>")
	return b.Bytes()
}

// curve draws one amount, with the least and the most of its scale at one side.
func (s *Sweep) curve(line func(string, ...any), name, color string, side int, anchor string, of func(Size) int64, text func(int64) string) {
	most := int64(1)
	for _, p := range s.Points {
		most = max(most, of(p.Total()))
	}
	path := ""
	for _, p := range s.Points {
		y := float64(bottom) - float64(bottom-top)*float64(of(p.Total()))/float64(most)
		path += fmt.Sprintf(" %s,%s", s.x(p.Load), decimal(y))
	}
	if path != "" {
		line(`<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>`, path[1:], color)
	}
	line(`<text x="%d" y="%d" text-anchor="%s" fill="%s">%s %s</text>`, side, top-8, anchor, color, name, text(most))
	line(`<text x="%d" y="%d" text-anchor="%s" fill="%s">0</text>`, side, bottom, anchor, color)
}

// x is where a load is drawn.
func (s *Sweep) x(load int64) string {
	first, last := load, load
	if len(s.Points) > 0 {
		first, last = s.Points[0].Load, s.Points[len(s.Points)-1].Load
	}
	if s.Breaks != nil {
		last = max(last, *s.Breaks)
	}
	if first == last {
		return strconv.Itoa(left)
	}
	return decimal(left + float64(right-left)*float64(load-first)/float64(last-first))
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }
