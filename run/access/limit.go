package access

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Limiter bounds how often each of many may ask. It is for several goroutines; a nil one bounds
// nothing.
type Limiter struct {
	rate  rate.Limit
	burst int

	mu   sync.Mutex
	each map[string]*rate.Limiter
}

// NewLimiter lets each ask so often in a second over a while, and burst times at once. It is nil
// for a rate of 0.
func NewLimiter(perSecond float64, burst int) *Limiter {
	if perSecond <= 0 {
		return nil
	}
	return &Limiter{rate: rate.Limit(perSecond), burst: burst, each: map[string]*rate.Limiter{}}
}

// manyKeys is how many are remembered before those that have not asked for a while are forgotten.
const manyKeys = 4096

// Take counts that somebody asks. Where that is too often, it is not counted, and the first
// result is how long to wait.
func (l *Limiter) Take(who string) (wait time.Duration, may bool) {
	if l == nil {
		return 0, true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	one := l.each[who]
	if one == nil {
		if len(l.each) >= manyKeys {
			l.forget()
		}
		one = rate.NewLimiter(l.rate, l.burst)
		l.each[who] = one
	}
	r := one.Reserve()
	if wait = r.Delay(); wait > 0 {
		r.Cancel()
		return wait, false
	}
	return 0, true
}

// forget leaves out those who may ask as often at once as somebody who never has; mu is held.
// Where all of them ask, the map is begun anew: it is bounded in any case.
func (l *Limiter) forget() {
	for who, one := range l.each {
		if one.Tokens() >= float64(l.burst) {
			delete(l.each, who)
		}
	}
	if len(l.each) >= manyKeys {
		clear(l.each)
	}
}
