-- Zigzag in queries that run parallel: in every worker, or in the leader.
CREATE TABLE pa_big (id int, k int, pad text);
INSERT INTO pa_big SELECT g, g % 50, repeat('x', 100) FROM generate_series(1, 20000) g;
CREATE TABLE pa_zz (id int, a int, b int, c text);
INSERT INTO pa_zz SELECT g, g % 50, g % 7, 'c' || g % 3 FROM generate_series(1, 7000) g;
CREATE INDEX pa_zz_a ON pa_zz (a);
CREATE INDEX pa_zz_b ON pa_zz (b) INCLUDE (id);
ALTER TABLE pa_big SET (parallel_workers = 2);
VACUUM ANALYZE pa_big, pa_zz;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
-- below a Gather, on the inner side of a join, once and for every row
CREATE FUNCTION is_below_gather(query text) RETURNS bool LANGUAGE sql AS
$$ SELECT string_agg(l, E'\n') ~ 'Gather.*ZigzagScan' FROM zz_explain(query) l $$;
SET zigzag.debug_force = on;
SELECT q, is_below_gather(q), (zz_check(q)).* FROM (VALUES
  ('SELECT count(*), sum(z.id) FROM pa_big p JOIN pa_zz z ON p.id = z.id WHERE z.a = 1 AND z.b = 2'),
  ('SELECT p.k, count(*) FROM pa_big p JOIN pa_zz z ON p.k = z.id % 50 WHERE z.a = 1 AND z.b = 2 AND p.id > 100 GROUP BY p.k'),
  ('SELECT count(*) FROM pa_big p WHERE p.pad <> '''' AND p.k = (SELECT max(a) FROM pa_zz WHERE a = 1 AND b = 2)'),
  ('SELECT p.id, (SELECT count(*) FROM pa_zz z WHERE z.a = p.k AND z.b = 2) FROM pa_big p WHERE p.id % 100 = 1')) v(q);
-- a Gather on top of it, as the server itself can be made to put there
SELECT set_config(name, 'on', false) AS forced
FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query');
SELECT q, is_below_gather(q), (zz_check(q)).* FROM (VALUES
  ('SELECT id FROM pa_zz WHERE a = 1 AND b = 2'),
  ('SELECT * FROM pa_zz WHERE a = 1 AND b = 2')) v(q);
-- with an InitPlan, only since 17
SELECT * FROM zz_check('SELECT count(*) FROM pa_zz WHERE a = 1 AND b = (SELECT 2)');
SELECT l FROM zz_explain('SELECT id FROM pa_zz WHERE a = 1 AND b = 2', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF') l WHERE l ~ 'rows=';
SELECT set_config(name, 'off', false) AS forced
FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query');
-- a NULL that one process reads decides for the others, and so does the first row
CREATE TABLE pa_in (y int, pad text);
INSERT INTO pa_in SELECT g + 1000000, repeat('x', 100) FROM generate_series(1, 20000) g;
INSERT INTO pa_in VALUES (NULL);
ALTER TABLE pa_in SET (parallel_workers = 2);
VACUUM ANALYZE pa_in;
SET parallel_leader_participation = off;
CREATE FUNCTION is_shared(query text) RETURNS bool LANGUAGE sql AS
$$ SELECT string_agg(l, E'\n') ~ 'Gather.*(NullAwareAntiJoin|MarkJoin).*Parallel Hash' FROM zz_explain(query) l $$;
SELECT n, is_shared(q), (zz_notin(q)).* FROM generate_series(1, 3) n, (VALUES
  ('SELECT count(*) FROM pa_big WHERE length(repeat(pad, 30)) > 0 AND nullif(k, 51) NOT IN (SELECT y FROM pa_in)')) v(q);
SELECT n, is_shared(q), (zz_mark(q)).* FROM generate_series(1, 3) n, (VALUES
  ('SELECT count(*) FILTER (WHERE v IS NULL) FROM (SELECT nullif(k, 51) IN (SELECT y FROM pa_in) AS v FROM pa_big WHERE length(repeat(pad, 30)) > 0) q')) v(q);
