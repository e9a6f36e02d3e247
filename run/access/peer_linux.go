package access

import (
	"context"
	"net"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

type peerKey struct{}

// WithPeer keeps who is at the other end of a Unix socket: it is for [http.Server].ConnContext.
func WithPeer(ctx context.Context, c net.Conn) context.Context {
	unixConn, ok := c.(*net.UnixConn)
	if !ok {
		return ctx
	}
	raw, err := unixConn.SyscallConn()
	if err != nil {
		return ctx
	}
	var cred *unix.Ucred
	_ = raw.Control(func(fd uintptr) { cred, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED) })
	if err != nil || cred == nil {
		return ctx
	}
	return context.WithValue(ctx, peerKey{}, int(cred.Uid))
}

// Peer is who has sent a request over a Unix socket: root and the user of the server
// administer it, and nobody else is known.
func Peer(ctx context.Context) (Identity, bool) {
	uid, ok := ctx.Value(peerKey{}).(int)
	if !ok || uid != 0 && uid != os.Geteuid() {
		return Identity{}, false
	}
	return Identity{Name: "uid-" + strconv.Itoa(uid), Role: Admin}, true
}
