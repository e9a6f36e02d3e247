package swarm

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/url"
	"os/exec"
	"time"
)

// overSSH reaches an engine as docker does: ssh runs docker there, which passes on what goes
// through.
func overSSH(host string) (func(context.Context, string, string) (net.Conn, error), error) {
	u, err := url.Parse(host)
	if err != nil || u.Hostname() == "" || u.Hostname()[0] == '-' {
		return nil, fmt.Errorf("%s: it should be ssh://[USER@]HOST[:PORT]", host)
	}
	var args []string
	if user := u.User.Username(); user != "" {
		args = append(args, "-l", user)
	}
	if port := u.Port(); port != "" {
		args = append(args, "-p", port)
	}
	args = append(args, "-o", "ConnectTimeout=30", "--", u.Hostname(), "docker")
	if u.Path != "" && u.Path != "/" {
		args = append(args, "--host", "unix://"+u.Path)
	}
	args = append(args, "system", "dial-stdio")
	return func(context.Context, string, string) (net.Conn, error) {
		cmd := exec.Command("ssh", args...) // it lives as long as the connection
		in, err := cmd.StdinPipe()
		if err != nil {
			return nil, err
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			return nil, err
		}
		return &piped{ReadCloser: out, in: in, cmd: cmd}, cmd.Start()
	}, nil
}

// piped is a connection through a program. Deadlines are those of requests.
type piped struct {
	io.ReadCloser
	in  io.WriteCloser
	cmd *exec.Cmd
}

func (p *piped) Write(data []byte) (int, error) { return p.in.Write(data) }

// Close ends the program.
func (p *piped) Close() error {
	_ = p.in.Close()
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
	return nil
}

type sshAddr struct{}

func (sshAddr) Network() string { return "ssh" }
func (sshAddr) String() string  { return "ssh" }

func (*piped) LocalAddr() net.Addr              { return sshAddr{} }
func (*piped) RemoteAddr() net.Addr             { return sshAddr{} }
func (*piped) SetDeadline(time.Time) error      { return nil }
func (*piped) SetReadDeadline(time.Time) error  { return nil }
func (*piped) SetWriteDeadline(time.Time) error { return nil }
