-- Plain lines in DuckDB: counted with the arguments as they are spelled, as it cannot sort names at every level. Here for its speed only.
WITH calls AS (
  SELECT run_id, call->>'name' AS tool, call->>'arguments' AS args
  FROM read_json('trace.jsonl', format = 'newline_delimited', columns = {run_id: 'VARCHAR', call: 'JSON'})
), groups AS (SELECT count(*) AS n FROM calls GROUP BY ALL)
SELECT sum(n) || ' ' || count(*) FILTER (n > 1) || ' ' || coalesce(sum(n - 1) FILTER (n > 1), 0) FROM groups;
