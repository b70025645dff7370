package postgres

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
)

// server is a PostgreSQL of the tests' own: a cluster in a temporary folder that listens on a socket there. It holds one
// database a test.
type server struct {
	dir  string
	user string
	n    atomic.Int32
}

// shared is the server of this test process; TestMain ends it.
var shared *server

var noServer error

func TestMain(m *testing.M) {
	if url := os.Getenv("DRAINBOARD_TEST_PEER"); url != "" {
		if err := servePeer(url); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	shared, noServer = startServer()
	code := m.Run()
	if shared != nil {
		if err := shared.stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// binary finds a program of the server.
func binary(name string) (string, error) {
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if err != nil || len(found) == 0 {
		return "", fmt.Errorf("expected %s in PATH or /usr/lib/postgresql, found none", name)
	}
	slices.Sort(found)
	return found[len(found)-1], nil
}

// startServer makes a cluster and starts it, as an unprivileged user where this is root: the server refuses root.
func startServer() (*server, error) {
	initdb, err := binary("initdb")
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "pg")
	if err != nil {
		return nil, err
	}
	s := &server{dir: dir, user: "drainer"}
	if os.Getuid() == 0 {
		if err := os.Chown(dir, nobody, nobody); err != nil {
			return nil, errors.Join(err, os.RemoveAll(dir))
		}
	}
	err = asServer(dir, initdb, "-D", filepath.Join(dir, "data"), "-U", s.user, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	if err == nil { // in a file of its own: what stands on the command line could not be changed by a benchmark
		err = os.WriteFile(filepath.Join(dir, "data", "postgresql.auto.conf"), []byte("fsync = off\n"), 0o600)
	}
	if err == nil {
		err = s.start()
	}
	if err != nil {
		log, _ := os.ReadFile(filepath.Join(dir, "log"))
		return nil, errors.Join(err, errors.New(string(log)), os.RemoveAll(dir))
	}
	return s, nil
}

// start starts the server, which stands still.
func (s *server) start() error {
	opts := "-k " + s.dir + " -c listen_addresses= -c max_connections=90 -c shared_buffers=64MB"
	return s.ctl("-o", opts, "-l", filepath.Join(s.dir, "log"), "start")
}

const nobody = 65534

// asServer runs a program of the server as the user that it runs as.
func asServer(dir string, argv ...string) error {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	out, err := os.Create(filepath.Join(dir, filepath.Base(argv[0])+".out"))
	if err != nil {
		return err
	}
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out // a file: the server keeps it open after pg_ctl has ended
	if err := cmd.Run(); err != nil {
		said, _ := os.ReadFile(out.Name())
		return fmt.Errorf("%s: %w\n%s", strings.Join(argv, " "), err, said)
	}
	return nil
}

func (s *server) ctl(args ...string) error {
	ctl, err := binary("pg_ctl")
	if err != nil {
		return err
	}
	return asServer(s.dir, append([]string{ctl, "-D", filepath.Join(s.dir, "data"), "-w"}, args...)...)
}

func (s *server) stop() error {
	return errors.Join(s.ctl("-m", "immediate", "stop"), os.RemoveAll(s.dir))
}

func (s *server) url(db string) string {
	u := url.URL{Scheme: "postgres", User: url.User(s.user), Path: "/" + db}
	u.RawQuery = url.Values{"host": {s.dir}}.Encode()
	return u.String()
}

// database makes a fresh database and returns its URL.
func database(tb testing.TB) string {
	tb.Helper()
	if shared == nil {
		if os.Getenv("DRAINBOARD_TEST_POSTGRES") == "require" {
			tb.Fatalf("DRAINBOARD_TEST_POSTGRES=require: %v", noServer)
		}
		tb.Skipf("the PostgreSQL store is not tried here: %v", noServer)
	}
	name := fmt.Sprintf("t%d", shared.n.Add(1))
	c := connect(tb, shared.url("postgres"))
	if _, err := c.Exec(context.Background(), "CREATE DATABASE "+name); err != nil {
		tb.Fatal(err)
	}
	return shared.url(name)
}

func connect(tb testing.TB, url string) *pgx.Conn {
	tb.Helper()
	c, err := pgx.Connect(context.Background(), url)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = c.Close(context.Background()) })
	return c
}
