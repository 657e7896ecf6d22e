-- Helpers of all tests, and the extension itself.
CREATE EXTENSION zigzag;

-- Run a query with zigzag off and with zigzag forced, and compare.
--   plan    the forced plan
--   nrows   rows with zigzag off
--   diff    rows that only one of the two returned, as a multiset; if ordered,
--           rows that are at another place
-- Rows are compared as text: equal values that print differently are different.
CREATE FUNCTION zz_compare(query text, ordered bool, OUT plan text, OUT nrows bigint, OUT diff bigint)
LANGUAGE plpgsql AS $$
DECLARE
  off_rows text[];
  on_rows text[];
  line text;
  wrapped text := format('SELECT array_agg(r::text) FROM (%s) r', query);
  saved text := current_setting('zigzag.debug_force');
BEGIN
  PERFORM set_config('zigzag.enable', 'off', true);
  EXECUTE wrapped INTO off_rows;
  PERFORM set_config('zigzag.enable', 'on', true),
          set_config('zigzag.debug_force', 'on', true);
  plan := '';
  FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
    plan := plan || line || E'\n';
  END LOOP;
  EXECUTE wrapped INTO on_rows;
  PERFORM set_config('zigzag.debug_force', saved, true);

  off_rows := coalesce(off_rows, '{}');
  on_rows := coalesce(on_rows, '{}');
  nrows := cardinality(off_rows);
  IF ordered THEN
    SELECT count(*) INTO diff
    FROM unnest(off_rows, on_rows) AS u(a, b) WHERE a IS DISTINCT FROM b;
  ELSE
    SELECT count(*) INTO diff FROM (
      (SELECT unnest(off_rows) EXCEPT ALL SELECT unnest(on_rows))
      UNION ALL
      (SELECT unnest(on_rows) EXCEPT ALL SELECT unnest(off_rows))) d;
  END IF;
END $$;

-- For ZigzagScan: does the forced plan contain one?
CREATE FUNCTION zz_check(query text, OUT zigzag bool, OUT nrows bigint, OUT diff bigint)
LANGUAGE sql AS $$
  SELECT plan LIKE '%ZigzagScan%', c.nrows, c.diff FROM zz_compare(query, query ~* 'order by') c
$$;

-- For NOT IN: how was it run?  "pattern", "verdict" (around a hash join), "probe"
-- (around an index), "anti" (core's plain anti join), "-" (no anti join).
CREATE FUNCTION zz_notin(query text, OUT node text, OUT nrows bigint, OUT diff bigint)
LANGUAGE sql AS $$
  SELECT CASE WHEN plan LIKE '%Null-Aware Cond%' THEN 'pattern'
              WHEN plan LIKE '%NullGuard%' THEN 'verdict'
              WHEN plan LIKE '%NullAwareAntiJoin%' THEN 'probe'
              WHEN plan LIKE '%Anti Join%' THEN 'anti'
              ELSE '-' END, c.nrows, c.diff
  FROM zz_compare(query, false) c
$$;

-- For IN and EXISTS where a value is needed: by a MarkJoin?
CREATE FUNCTION zz_mark(query text, OUT marked bool, OUT nrows bigint, OUT diff bigint)
LANGUAGE sql AS $$
  SELECT plan LIKE '%MarkJoin%', c.nrows, c.diff FROM zz_compare(query, false) c
$$;

-- Deterministic pseudo-random integer in [0, m).
CREATE FUNCTION zz_hash(g bigint, seed int, m bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT (hashint8extended(g, seed) & 9223372036854775807) % m $$;

-- A plan, line by line, without what varies from run to run or from one release
-- of the server to another.
CREATE FUNCTION zz_explain(query text, options text DEFAULT 'COSTS OFF') RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE
  chunk text;
  line text;
BEGIN
  FOR chunk IN EXECUTE format('EXPLAIN (%s) %s', options, query) LOOP
    FOREACH line IN ARRAY regexp_split_to_array(chunk, '\n') LOOP
      CONTINUE WHEN line ~ '(Planning|Execution) Time|Planning:|Buffers:|Disabled|Query.Identifier|Async.Capable|Parallel.Aware';
      line := regexp_replace(line, '(actual rows=\d+|Actual.Rows"?[:>] ?\d+)\.\d+', '\1');
      line := regexp_replace(line, '\$0|\(InitPlan \w+\)\.col1', 'InitPlan', 'g');
      line := regexp_replace(line, 'InitPlan \w+( \(returns .*\))?$', 'InitPlan');
      line := regexp_replace(line, '\((hashed )?SubPlan \w+\)\.col\d+', '(\1SubPlan)', 'g');
      line := regexp_replace(line, '\(ANY \([^()]* (\((hashed )?SubPlan\))\)\)', '\1', 'g');
      line := regexp_replace(line, '\(ANY \(\([^()]* (\((hashed )?SubPlan\))\)( AND \([^()]* \((hashed )?SubPlan\)\))+\)\)', '\1', 'g');
      line := regexp_replace(line, 'EXISTS(\(SubPlan \w+\))', '\1', 'g');
      line := regexp_replace(line, 'SubPlan \w+', 'SubPlan', 'g');
      line := regexp_replace(line, '\(NOT (COALESCE\([^()]*\))\)', '(\1 IS NOT TRUE)', 'g');
      IF options ~ 'JSON' THEN
        line := rtrim(line, ',');
      END IF;
      RETURN NEXT line;
    END LOOP;
  END LOOP;
END $$;
