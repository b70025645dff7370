// Package postgres keeps a ledger in a PostgreSQL database that several machines share: same rows, same rules and same
// tests as package sqlite.
//
// A Store may be used by many goroutines; each transaction has a connection of its own from a pool, and connections that
// broke are replaced. A claim is one statement. What a transaction reads with Row is locked until it ends; READ COMMITTED
// is enough, because everything that is compared stands in the locked row. Promised is what the server promises: a
// failover that loses committed transactions can send twice.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"drainboard/ledger"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// IsURL says whether a --ledger names a PostgreSQL database.
func IsURL(name string) bool {
	return strings.HasPrefix(name, "postgres://") || strings.HasPrefix(name, "postgresql://")
}

// parse reads a URL. where is how it is named in messages and on screen: never with its password.
func parse(url string, connections int32) (cfg *pgxpool.Config, where string, err error) {
	cfg, err = pgxpool.ParseConfig(url)
	if err != nil {
		return nil, "", &ledger.Problem{
			Kind: ledger.NotALedger, Path: "postgres://...", Found: "expected a URL like postgres://user@host/database, found one that cannot be read",
			Do: "correct it; its text is not shown because it may hold a password",
		}
	}
	c := cfg.ConnConfig
	where = fmt.Sprintf("postgres://%s@%s:%d/%s", c.User, c.Host, c.Port, c.Database)
	if c.Host != "" && c.Host[0] == '/' {
		where = fmt.Sprintf("postgres://%s@/%s?host=%s&port=%d", c.User, c.Database, c.Host, c.Port)
	}
	cfg.MaxConns = connections
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = 10 * time.Second
	}
	if c.RuntimeParams["application_name"] == "" {
		c.RuntimeParams["application_name"] = "drainboard"
	}
	return cfg, where, nil
}

// explain turns an error of the driver or the server into a Problem.
func explain(where string, err error) error {
	if p := (*ledger.Problem)(nil); err == nil || errors.As(err, &p) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	at := func(k ledger.ProblemKind, found, do string) error {
		return &ledger.Problem{Kind: k, Path: where, Found: found, Do: do, Err: errors.New(clean(err))}
	}
	pg := (*pgconn.PgError)(nil)
	if !errors.As(err, &pg) {
		return at(ledger.Missing, "expected a PostgreSQL server, could not reach one", "check host, port and network, and whether the server runs")
	}
	if gone(pg) {
		return at(ledger.Missing, "expected a PostgreSQL server that answers, found one that stops or starts", "try again in a moment; see the server's log if it stays so")
	}
	switch pg.Code {
	case "3D000":
		return at(ledger.Missing, "expected a database of that name, found none", "make it (`createdb`), or name another one")
	case "28P01", "28000":
		return at(ledger.Denied, "expected to be let in, was turned away", "check user, password and pg_hba.conf")
	case "42501":
		return at(ledger.ReadOnly, "expected leave for that, found none", "GRANT it to this user, or only look")
	case "25006":
		return at(ledger.ReadOnly, "expected a server that may be written, found a read-only one", "name the primary, or only look")
	case "55P03", "57014":
		return at(ledger.Locked, "expected an answer at once, found it locked by another session", "wait, or end the session that holds it")
	case "53100":
		return at(ledger.Broken, "expected room on the server's disk, found none; nothing was written", "make room there, then try again")
	case "53300":
		return at(ledger.Locked, "expected a connection, found that the server has none left", "end some of its sessions, or raise its max_connections")
	}
	return at(ledger.Broken, "expected the server to do it", "see the server's log")
}

// clean is an error's text without anything of the connection string.
func clean(err error) string {
	pg := (*pgconn.PgError)(nil)
	if errors.As(err, &pg) {
		return pg.Message + " (SQLSTATE " + pg.Code + ")"
	}
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Error()
	}
	return "the connection failed"
}

// gone says that the connection is lost, or that the server stops or starts.
func gone(pg *pgconn.PgError) bool {
	return strings.HasPrefix(pg.Code, "08") || strings.HasPrefix(pg.Code, "57P")
}

// unsent says that the server has refused a statement, or never got it: nothing of it happened. What a server that is
// going away answers (57P01 to 57P03) may come after a commit that worked.
func unsent(err error) bool {
	pg := (*pgconn.PgError)(nil)
	if errors.As(err, &pg) {
		return !gone(pg)
	}
	return pgconn.SafeToRetry(err)
}

// again says that a transaction lost to another one, or that it had no connection, and may simply be run again.
func again(err error) bool {
	pg := (*pgconn.PgError)(nil)
	if !errors.As(err, &pg) {
		return false
	}
	switch pg.Code {
	case "40001", "40P01", "23505", "53300": // the last: too many connections, until one is let go
		return true
	}
	return false
}

// broken says that the connection is gone, so that another one may work.
func broken(err error) bool {
	pg := (*pgconn.PgError)(nil)
	if errors.As(err, &pg) {
		return gone(pg)
	}
	var op net.Error
	return errors.As(err, &op) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) || pgconn.SafeToRetry(err)
}

// setUp makes a connection fit for claims: they are durable when they are answered.
func setUp(ctx context.Context, c *pgx.Conn) error {
	_, err := c.Exec(ctx, "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') IN ('off', 'local', 'remote_write')")
	return err
}
