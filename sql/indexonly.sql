-- Rows made from the indexes alone: each column from an index that stores it.
CREATE TABLE io (id int, a int, b int, c text, d int, e text);
INSERT INTO io SELECT g, g % 4, g % 5, 'c' || g % 7, g, repeat('e', 10) || g FROM generate_series(1, 4000) g;
CREATE INDEX io_a ON io (a) INCLUDE (id, c);
CREATE INDEX io_b ON io (b) INCLUDE (d);
CREATE INDEX io_lower ON io (upper(c));
VACUUM ANALYZE io;
SET zigzag.debug_force = on;
CREATE FUNCTION is_index_only(query text) RETURNS bool LANGUAGE sql AS
$$ SELECT bool_or(l LIKE '%Index Only: true%') FROM zz_explain(query) l $$;
SELECT q, is_index_only(q), (zz_check(q)).* FROM (VALUES
  ('SELECT count(*) FROM io WHERE a = 1 AND b = 2'),
  ('SELECT a, b FROM io WHERE a = 1 AND b = 2'),
  ('SELECT id, c, d FROM io WHERE a = 1 AND b = 2'),
  ('SELECT id + d, c || ''x'' FROM io WHERE a = 1 AND b = 2 AND d > 100 AND c <> ''c3'''),
  ('SELECT e FROM io WHERE a = 1 AND b = 2'),
  ('SELECT count(*) FROM io WHERE a = 1 AND b = 2 AND e > ''e'''),
  ('SELECT ctid FROM io WHERE a = 1 AND b = 2'),
  ('SELECT tableoid::regclass, id FROM io WHERE a = 1 AND b = 2'),
  ('SELECT io FROM io WHERE a = 1 AND b = 2'),
  ('SELECT xmin <> ''0'' FROM io WHERE a = 1 AND b = 2'),
  ('SELECT count(*) FROM io WHERE upper(c) = ''C1'' AND b = 2'),
  ('SELECT d FROM io WHERE upper(c) = ''C1'' AND b = 2'),
  ('SELECT c FROM io WHERE upper(c) = ''C1'' AND b = 2'),
  ('SELECT upper(c), d FROM io WHERE upper(c) = ''C1'' AND a = 1 AND b = 2')) v(q);
SET enable_indexonlyscan = off;
SELECT is_index_only('SELECT count(*) FROM io WHERE a = 1 AND b = 2');
RESET enable_indexonlyscan;
-- pages that are not all-visible are visited, and their dead rows left out
DELETE FROM io WHERE id % 20 = 1;
UPDATE io SET d = d + 1 WHERE id % 20 = 17;
SELECT regexp_replace(l, '(Pages|Steps|Index Searches): \d+', '\1: N')
FROM zz_explain('SELECT id, d FROM io WHERE a = 1 AND b = 2', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF') l;
SELECT * FROM zz_check('SELECT id, d FROM io WHERE a = 1 AND b = 2');
VACUUM io;
SELECT * FROM zz_check('SELECT id, d FROM io WHERE a = 1 AND b = 2');
SELECT l FROM zz_explain('SELECT id, d FROM io WHERE a = 1 AND b = 2', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF') l
WHERE l ~ 'Heap Fetches';
-- an index that stores the truth of a condition which also binds its next column
CREATE TABLE pe (a int, b int);
INSERT INTO pe SELECT nullif(g % 10, 0), g % 7 FROM generate_series(1, 1000) g;
CREATE INDEX pe_five ON pe ((a = 5), a);
CREATE INDEX pe_null ON pe ((a IS NULL), a);
CREATE INDEX pe_b ON pe (b);
VACUUM ANALYZE pe;
SELECT q, is_index_only(q), (zz_check(q)).* FROM (VALUES
  ('SELECT count(*) FROM pe WHERE a = 5 AND b = 3'),
  ('SELECT b FROM pe WHERE a = 5 AND b = 3'),
  ('SELECT count(*) FROM pe WHERE a IS NULL AND b = 3'),
  ('SELECT (a = 5), b FROM pe WHERE a = 5 AND b = 3')) v(q);
-- partial indexes: what their predicate implies need not be tested, or stored
CREATE TABLE pa (id int, a int, b int, gone timestamptz, x int);
INSERT INTO pa SELECT g, g % 4, g % 5, CASE WHEN g % 3 = 0 THEN now() END, g FROM generate_series(1, 3000) g;
CREATE INDEX pa_a ON pa (a, id) WHERE gone IS NULL;
CREATE INDEX pa_b ON pa (b, id) WHERE gone IS NULL;
CREATE INDEX pa_x ON pa (x) WHERE a = 1;
VACUUM ANALYZE pa;
SELECT q, is_index_only(q), (zz_check(q)).* FROM (VALUES
  ('SELECT id FROM pa WHERE a = 1 AND b = 2 AND gone IS NULL ORDER BY id'),
  ('SELECT id FROM pa WHERE a = 1 AND b = 2 AND gone IS NULL ORDER BY id DESC LIMIT 5'),
  ('SELECT id FROM pa WHERE a = 1 AND b = 2'),
  ('SELECT id FROM pa WHERE a = 1 AND b = 2 AND gone IS NOT NULL'),
  ('SELECT id, x FROM pa WHERE a = 1 AND b = 2 AND gone IS NULL AND x > 100')) v(q);
-- WHERE CURRENT OF a cursor whose rows come from the indexes, vacuumed or not
SET zigzag.debug_force = on;
BEGIN;
UPDATE pa SET x = x WHERE id < 100;
DECLARE cur CURSOR FOR SELECT a, b FROM pa WHERE a = 1 AND b = 2 AND gone IS NULL;
FETCH 3 FROM cur \g /dev/null
UPDATE pa SET x = -1 WHERE CURRENT OF cur RETURNING id, a, b;
FETCH 20 FROM cur \g /dev/null
DELETE FROM pa WHERE CURRENT OF cur RETURNING id, a, b;
FETCH 1 FROM cur;
ROLLBACK;
RESET zigzag.debug_force;
