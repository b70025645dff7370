#!/bin/sh
# Prints how long drainboard and others take for one question, side by side: how many calls, groups of equal calls, and calls beyond the first
# of each? CPU seconds (user + system) and wall seconds, medians of RUNS runs in turn, with the trace in the page cache.
#
#	testdata/bench.sh [BYTES [RUNS]]        100000000 and 3 unless given
set -eu
here=$(cd "$(dirname "$0")/bench" && pwd)
bytes=${1:-100000000} runs=${2:-3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$here/../.." && go build -o "$work/drainboard" . && go build -o "$work/gen" ./testdata/bench/gen.go)
cd "$work"

# ask NAME SHAPE prints the three numbers, or nothing that can be compared.
ask() {
	case $1 in
	drainboard) ./drainboard check --json trace.jsonl 2>/dev/null | python3 -c '
import json, sys
r = json.load(sys.stdin)
more = [d["calls"] for d in r["duplicates"] if d["calls"] > 1]
print(r["calls"], len(more), sum(more) - len(more))' ;;
	python) python3 "$here/naive.py" "$2" trace.jsonl ;;
	jq) jq -cS --arg shape "$2" -f "$here/count.jq" trace.jsonl | LC_ALL=C sort | LC_ALL=C uniq -c |
		awk '{ n += $1; if ($1 > 1) { g++; e += $1 - 1 } } END { print n + 0, g + 0, e + 0 }' ;;
	duckdb) duckdb -noheader -list <"$here/count.sql" ;;
	wc) wc -l <trace.jsonl ;;
	esac
}

# cost NAME SHAPE runs it once and adds a line "cpu wall" to its list; drainboard without the reading of its answer.
cost() {
	case $1 in
	drainboard) set -- "$1" "$2" './drainboard check --json trace.jsonl >answer 2>/dev/null || true' ;;
	python) set -- "$1" "$2" "python3 '$here/naive.py' $2 trace.jsonl >answer" ;;
	jq) set -- "$1" "$2" "jq -cS --arg shape $2 -f '$here/count.jq' trace.jsonl | LC_ALL=C sort | LC_ALL=C uniq -c >answer" ;;
	duckdb) set -- "$1" "$2" "duckdb -noheader -list <'$here/count.sql' >answer" ;;
	wc) set -- "$1" "$2" 'wc -l <trace.jsonl >answer' ;;
	esac
	python3 - "$3" >>"$1.times" <<'PY'
import os, subprocess, sys, time
before, start = os.times(), time.time()
subprocess.run(["sh", "-c", sys.argv[1]], check=True)
wall, t = time.time() - start, os.times()
print(t.children_user + t.children_system - before.children_user - before.children_system, wall)
PY
}

median() { sort -k"$2"n "$1.times" | awk -v c="$2" '{ a[NR] = $c } END { print a[int((NR + 1) / 2)] }'; }

echo "| trace | reader | calls, groups, extra | CPU s | wall s | x CPU | x wall |"
echo "| --- | --- | --- | --- | --- | --- | --- |"
for shape in plain claude otlp; do
	./gen -shape $shape -bytes "$bytes" >trace.jsonl 2>truth
	who="drainboard wc"
	for tool in python3 jq duckdb; do
		command -v $tool >/dev/null || continue
		case $tool-$shape in duckdb-claude | duckdb-otlp) continue ;; python3-*) tool=python ;; esac
		who="$who $tool"
	done
	rm -f -- *.times
	for _ in $(seq "$runs"); do
		for name in $who; do cost "$name" $shape; done
	done
	cpu=$(median drainboard 1) wall=$(median drainboard 2)
	echo "| $shape, $bytes bytes | the generator | $(cat truth) | | | | |"
	for name in $who; do
		awk -v s=$shape -v n="$name" -v a="$(ask "$name" $shape)" -v c="$(median "$name" 1)" -v w="$(median "$name" 2)" -v oc="$cpu" -v ow="$wall" \
			'BEGIN { printf "| %s | %s | %s | %.2f | %.2f | %.1f | %.1f |\n", s, n, a, c, w, c / oc, w / ow }'
	done
done
