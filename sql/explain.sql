-- EXPLAIN of a ZigzagScan: what it shows, in all four formats.
CREATE TABLE ex (id int PRIMARY KEY, a int, b int, f bool, n int, t text, made timestamp, pad text);
INSERT INTO ex SELECT g, g % 10, zz_hash(g, 1, 10), g % 3 = 0, nullif(g % 4, 0), 'T' || g % 7,
       timestamp '2020-01-01' + g * interval '1 minute', repeat('p', 50)
FROM generate_series(1, 3000) g;
CREATE INDEX ex_a ON ex (a);
CREATE INDEX "ex B" ON ex (b);
CREATE INDEX ex_f ON ex (f);
CREATE INDEX ex_n ON ex (n);
CREATE INDEX ex_lower ON ex (lower(t));
VACUUM ANALYZE ex;

-- Without how far a cursor reads ahead.
CREATE FUNCTION ex_plan(query text, options text DEFAULT 'COSTS OFF') RETURNS SETOF text
LANGUAGE sql AS $$
  SELECT regexp_replace(line, '((Index.Searches|Pages|Steps)"?[:>] ?)\d+', '\1N')
  FROM zz_explain(query, options) AS line
$$;

SET zigzag.debug_force = on;

-- what binds a side
SELECT * FROM ex_plan('SELECT * FROM ex WHERE a = 1 AND b = 2');
SELECT * FROM ex_plan('SELECT * FROM ex WHERE 1 = a AND b = 2::int8');
SELECT * FROM ex_plan('SELECT * FROM ex WHERE n IS NULL AND NOT f');
SELECT * FROM ex_plan($$SELECT * FROM ex WHERE lower(t) = 't1' AND b = 2$$);
SELECT * FROM ex_plan('SELECT * FROM ex WHERE a = 1 AND b = 2 AND pad < id::text AND made IS NOT NULL');

-- the zigzag key is what the rows are sorted by
BEGIN;
CREATE INDEX ex_a_made ON ex (a, made DESC);
CREATE INDEX ex_b_made ON ex (b, made DESC);
SELECT * FROM ex_plan('SELECT * FROM ex WHERE a = 1 AND b = 2 ORDER BY made DESC LIMIT 3');
SELECT * FROM ex_plan('SELECT * FROM ex WHERE a = 1 AND b = 2 ORDER BY made LIMIT 3');
CREATE INDEX ex_a_two ON ex (a, n NULLS FIRST, (id % 2));
CREATE INDEX ex_b_two ON ex (b, n NULLS FIRST, (id % 2));
SELECT * FROM ex_plan('SELECT * FROM ex WHERE a = 1 AND b = 2 ORDER BY n NULLS FIRST, id % 2 LIMIT 3');
SELECT * FROM ex_plan('SELECT * FROM ex WHERE a = 1 AND b = 2 ORDER BY n DESC NULLS LAST, id % 2 DESC LIMIT 3');
SELECT * FROM ex_plan('SELECT id FROM ex WHERE a = 1 AND b = 2 ORDER BY made LIMIT 3', 'COSTS OFF, FORMAT YAML');
ROLLBACK;

-- index-only, and what is in the scan tuple for EXPLAIN alone
SELECT * FROM ex_plan('SELECT count(*) FROM ex WHERE a = 1 AND b = 2');
SELECT * FROM ex_plan('SELECT b FROM ex WHERE a = 1 AND b = 2 AND b < a + 10');
SELECT * FROM ex_plan($$SELECT f FROM ex WHERE f AND lower(t) = 't1'$$);

-- names, qualified where core qualifies them
SELECT * FROM ex_plan('SELECT count(*) FROM ex x WHERE a = 1 AND b = 2', 'COSTS OFF, VERBOSE');
SELECT * FROM ex_plan('SELECT x.id, y.id FROM ex x, ex y WHERE x.a = 1 AND x.b = 2 AND y.id = x.id + 1 AND x.pad <> y.t');

-- values that are known at run time only
PREPARE ex_param (int, int) AS SELECT id FROM ex WHERE a = $1 AND b = $2;
SET plan_cache_mode = force_generic_plan;
SELECT * FROM ex_plan('EXECUTE ex_param (1, 2)');
SELECT * FROM ex_plan('EXECUTE ex_param (1, 2)', 'COSTS OFF, ANALYZE, TIMING OFF, SUMMARY OFF, BUFFERS OFF');
SELECT * FROM ex_plan('EXECUTE ex_param (1, NULL)', 'COSTS OFF, ANALYZE, TIMING OFF, SUMMARY OFF, BUFFERS OFF');
RESET plan_cache_mode;
SELECT * FROM ex_plan('SELECT id FROM ex WHERE a = (SELECT min(g) FROM generate_series(1, 3) g) AND b = 2');

-- counts; nothing is counted where nothing was run
\set analyze '''COSTS OFF, ANALYZE, TIMING OFF, SUMMARY OFF, BUFFERS OFF'''
SELECT * FROM ex_plan('SELECT * FROM ex WHERE a = 1 AND b = 2', :analyze);
SELECT * FROM ex_plan('SELECT count(*) FROM ex WHERE a = 1 AND b = 2 AND b < 5', :analyze);
SELECT * FROM ex_plan('SELECT id FROM ex WHERE a = 1 AND b = 2 AND id % 3 = 0', :analyze);
SELECT * FROM ex_plan('SELECT id FROM ex WHERE a = 1 AND b = 2 LIMIT 0', :analyze);
SELECT * FROM ex_plan('SELECT * FROM generate_series(1, 3) g, LATERAL (SELECT id FROM ex WHERE a = 1 AND b = 2 OFFSET 0 * g) s', :analyze);

-- rows of a page that is not all-visible are looked up in the table
UPDATE ex SET pad = 'new' WHERE id = (SELECT min(id) FROM ex WHERE a = 1 AND b = 2);
SELECT * FROM ex_plan('SELECT count(*) FROM ex WHERE a = 1 AND b = 2', :analyze);
VACUUM ex;
SELECT * FROM ex_plan('SELECT count(*) FROM ex WHERE a = 1 AND b = 2', :analyze);

-- the counts themselves, as far as they are bound to be so
CREATE FUNCTION ex_counts(query text, OUT rows int, OUT searches int, OUT pages int, OUT steps int)
LANGUAGE plpgsql AS $$
DECLARE
  plan json;
BEGIN
  EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ' || query INTO plan;
  plan := plan -> 0 -> 'Plan';
  WHILE plan ->> 'Custom Plan Provider' IS DISTINCT FROM 'ZigzagScan' LOOP
    plan := plan -> 'Plans' -> -1;
  END LOOP;
  rows := (plan ->> 'Actual Rows')::numeric * (plan ->> 'Actual Loops')::int;
  SELECT sum((s ->> 'Index Searches')::int), sum((s ->> 'Pages')::int), sum((s ->> 'Steps')::int)
  INTO searches, pages, steps FROM json_array_elements(plan -> 'Sides') s;
END $$;
-- each side is searched at least once, and each entry of a result has been read on both
SELECT searches >= 2, pages >= searches, steps >= 2 * rows, steps <= 600
FROM ex_counts('SELECT count(*) FROM ex WHERE a = 1 AND b = 2');
SELECT searches, pages, steps FROM ex_counts('SELECT id FROM ex WHERE a = 1 AND b = 2 LIMIT 0');
-- totals over all loops, not means
SELECT three.rows = 3 * one.rows, three.searches = 3 * one.searches,
       three.pages = 3 * one.pages, three.steps = 3 * one.steps
FROM ex_counts('SELECT id FROM ex WHERE a = 1 AND b = 2') one,
     ex_counts('SELECT * FROM generate_series(1, 3) g, LATERAL (SELECT id FROM ex WHERE a = 1 AND b = 2 OFFSET 0 * g) s') three;

-- the other formats
SELECT * FROM ex_plan('SELECT id FROM ex WHERE a = 1 AND b = 2 AND id % 3 = 0', :analyze || ', FORMAT JSON');
SELECT * FROM ex_plan('SELECT a FROM ex WHERE a = 1 AND b = 2', :analyze || ', FORMAT JSON');
SELECT * FROM ex_plan('SELECT a FROM ex WHERE a = 1 AND b = 2', :analyze || ', FORMAT YAML');
SELECT * FROM ex_plan('SELECT a FROM ex WHERE a = 1 AND b = 2', :analyze || ', FORMAT XML');
RESET zigzag.debug_force;
