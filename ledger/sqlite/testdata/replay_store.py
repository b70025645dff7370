"""A replay store as agents write it: read, then replace, then update by key alone. It knows nothing of claims.

    replay_store.py load FILE WORKER SECONDS   sends until the time is over; prints a line of JSON a call
    replay_store.py race FILE ROUNDS           two workers in each round; prints how many sent, a line a round
"""

import hashlib
import json
import sqlite3
import sys
import threading
import time

SCHEMA = """CREATE TABLE IF NOT EXISTS tool_calls (
  idempotency_key TEXT PRIMARY KEY,
  tool_name TEXT NOT NULL,
  request_json TEXT NOT NULL,
  response_json TEXT,
  state TEXT NOT NULL,
  created_at REAL NOT NULL,
  updated_at REAL NOT NULL
)"""


def intent_key(run, tool, args):
    intent = {"run_id": run, "tool": tool, "args": args}
    return hashlib.sha256(json.dumps(intent, sort_keys=True).encode()).hexdigest()


class ReplayStore:
    def __init__(self, path):
        self.db = sqlite3.connect(path, check_same_thread=False)
        self.db.execute(SCHEMA)
        self.db.commit()

    def execute(self, key, tool, args, send, before_claim=lambda: None):
        found = self.db.execute("SELECT state, response_json FROM tool_calls WHERE idempotency_key = ?", (key,)).fetchone()
        if found and found[0] == "committed":
            return json.loads(found[1])
        if found and found[0] == "inflight":
            raise RuntimeError("still in flight")
        before_claim()
        now = time.time()
        row = (key, tool, json.dumps(args, sort_keys=True), None, "inflight", now, now)
        self.db.execute("INSERT OR REPLACE INTO tool_calls VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        self.db.commit()
        try:
            result = send(args)
        except Exception:
            self.db.execute("UPDATE tool_calls SET state = ?, updated_at = ? WHERE idempotency_key = ?", ("failed", time.time(), key))
            self.db.commit()
            raise
        done = ("committed", json.dumps(result), time.time(), key)
        self.db.execute("UPDATE tool_calls SET state = ?, response_json = ?, updated_at = ? WHERE idempotency_key = ?", done)
        self.db.commit()
        return result


def load(path, worker, seconds):
    store = ReplayStore(path)
    end = time.time() + float(seconds)
    run, n = "python " + worker, 0
    while time.time() < end:
        n += 1
        args = {"n": n, "title": "Grüße \U0001f680 \u2028", "ratio": n / 7, "big": 10**20 + n, "nested": {"b": [True, None, -0.0], "a": "/tmp"}}
        slow = n % 5 == 0

        def send(_):
            if slow:
                time.sleep(0.05)
            return {"by": worker, "n": n}

        key = intent_key(run, "open_pr", args)
        error = ""
        try:
            store.execute(key, "open_pr", args, send)
        except Exception as e:
            error = "%s: %s" % (type(e).__name__, e)
            store.db.rollback()
        print(json.dumps({"key": key, "run": run, "args": json.dumps(args), "error": error}))


def race(path, rounds):
    for n in range(int(rounds)):
        key = intent_key("race", "open_pr", {"n": n})
        both, sent, fenced = threading.Barrier(2), [], []

        def worker():
            store = ReplayStore(path)
            try:
                store.execute(key, "open_pr", {"n": n}, lambda _: sent.append(1), before_claim=both.wait)
            except sqlite3.DatabaseError as e:
                fenced.append(str(e))
            store.db.close()

        threads = [threading.Thread(target=worker) for _ in range(2)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        print(json.dumps({"sent": len(sent), "said": fenced}))


if __name__ == "__main__":
    {"load": load, "race": race}[sys.argv[1]](*sys.argv[2:])
