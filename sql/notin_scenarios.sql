-- Scenarios in which other systems were wrong, with the answers they must give.

-- The value of NOT IN and of <> ALL for the rows of sa, as MarkJoins, and the
-- number of rows that each keeps in WHERE, as null-aware joins; all of it with
-- zigzag forced, and once more without.
--   plan   how the four were run: m(ark), n(ull-aware), a(nti join), - (otherwise)
--   ok     are they what they must be?
CREATE TABLE sa (a int, b int, c int);
CREATE TABLE sb (a int, b int, c int);
CREATE FUNCTION zz_scenario(label text, a_rows text, b_rows text, left_side text, subquery text,
  mark text, kept int, OUT id text, OUT plan text, OUT ok bool)
LANGUAGE plpgsql AS $$
DECLARE
  form text;
  query text;
  result text;
  line text;
  seen text;
BEGIN
  id := label;
  TRUNCATE sa, sb;
  EXECUTE 'INSERT INTO sa VALUES ' || a_rows;
  IF b_rows <> '' THEN
    EXECUTE 'INSERT INTO sb VALUES ' || b_rows;
  END IF;
  plan := '';
  ok := true;
  PERFORM set_config('zigzag.debug_force', 'on', true);
  FOREACH form IN ARRAY ARRAY['NOT IN', '<> ALL'] LOOP
    form := format('%s %s (%s)', left_side, form, subquery);
    FOREACH query IN ARRAY ARRAY[
      format('SELECT string_agg(coalesce(v::text, ''null''), '' '' ORDER BY a, b, c) FROM (SELECT sa.*, %s AS v FROM sa OFFSET 0) q', form),
      format('SELECT count(*) FROM sa WHERE %s', form)] LOOP
      seen := '-';
      FOR line IN EXECUTE 'EXPLAIN ' || query LOOP
        seen := CASE WHEN line LIKE '%MarkJoin%' THEN 'm' WHEN line LIKE '%NullAware%' THEN 'n'
          WHEN seen = '-' AND line LIKE '%Anti%' THEN 'a' ELSE seen END;
      END LOOP;
      plan := plan || seen;
      EXECUTE query INTO result;
      ok := ok AND result = CASE WHEN query LIKE '%count%' THEN kept::text ELSE mark END;
      PERFORM set_config('zigzag.enable', 'off', true);
      EXECUTE query INTO result;
      ok := ok AND result = CASE WHEN query LIKE '%count%' THEN kept::text ELSE mark END;
      PERFORM set_config('zigzag.enable', 'on', true);
    END LOOP;
  END LOOP;
  PERFORM set_config('zigzag.debug_force', 'off', true);
END $$;

SELECT s.* FROM (VALUES
  ('P1.1', '(1,1,1)', '(1,2,2)', '(a, b)', 'SELECT a, b FROM sb', 'true', 1),
  ('P1.2', '(1,1,1)', '(1,2,2), (1,1,1)', '(a, b)', 'SELECT a, b FROM sb', 'false', 0),
  ('P1.3', '(1,1,1)', '(1,2,2), (1,1,1), (1,NULL,2)', '(a, b)', 'SELECT a, b FROM sb', 'false', 0),
  ('P1.4a', '(1,1,1)', '(1,2,2), (1,1,1), (1,NULL,2)', '(a, b)', 'SELECT a, b FROM sb WHERE sa.c > sb.c', 'true', 1),
  ('P1.4b', '(1,1,1)', '(1,2,2), (1,1,1), (1,NULL,2)', '(a, b)', 'SELECT a, b FROM sb WHERE sa.a <> sb.a', 'true', 1),
  ('P1.5', '(1,1,1)', '(1,2,2), (1,1,1), (1,NULL,2)', '(a, b)', 'SELECT a, b FROM sb WHERE c < 0', 'true', 1),
  ('P1.5 constant', '(1,1,1)', '(1,2,2), (1,1,1), (1,NULL,2)', '(a, b)', 'SELECT a, b FROM sb WHERE false', 'true', 1),
  ('P1.6a', '(1,1,1)', '(1,2,2), (1,1,1), (1,NULL,2), (2,NULL,2)', '(a, b)', 'SELECT a, b FROM sb', 'false', 0),
  ('P1.6b', '(1,1,1)', '(1,2,2), (1,NULL,2), (2,NULL,2)', '(a, b)', 'SELECT a, b FROM sb', 'null', 0),
  ('P2.1', '(1,NULL,1)', '', '(a, b)', 'SELECT a, b FROM sb', 'true', 1),
  ('P2.2a', '(1,NULL,1)', '(2,NULL,2)', '(a, b)', 'SELECT a, b FROM sb', 'true', 1),
  ('P2.2b', '(1,NULL,1)', '(2,NULL,2), (NULL,NULL,2)', '(a, b)', 'SELECT a, b FROM sb', 'null', 0),
  ('P2.3', '(1,NULL,1)', '(2,2,2)', '(a, b)', 'SELECT a, b FROM sb', 'true', 1),
  ('P2.4', '(1,NULL,1)', '(2,2,2), (2,NULL,2), (NULL,NULL,2)', '(a, b)', 'SELECT a, b FROM sb WHERE sa.c > sb.c', 'true', 1),
  ('P2.5', '(1,NULL,1)', '(2,2,2), (2,NULL,2), (NULL,NULL,2)', '(a, b)', 'SELECT a, b FROM sb WHERE sa.c = sb.c', 'true', 1),
  ('P5.1', '(1,1,1)', '(2,NULL,2)', '(a, b)', 'SELECT a, b FROM sb', 'true', 1),
  ('P5.2a', '(1,1,1)', '(2,NULL,2)', '(a + 1, b * 2)', 'SELECT a, b FROM sb', 'null', 0),
  ('P5.2b', '(1,1,1)', '(2,NULL,2), (2,2,2)', '(a + 1, b * 2)', 'SELECT a, b FROM sb', 'false', 0),
  ('P5.2c', '(1,1,1)', '(2,NULL,2), (2,2,2)', '(a + 1, b * 2)', 'SELECT a + 1, b - 1 FROM sb', 'true', 1),
  ('P5.3', '(1,1,1), (1,2,2), (NULL,1,3)', '(1,NULL,1), (2,2,2)', '(a, b)', 'SELECT a, b FROM sb WHERE sa.a = sb.a', 'null null true', 1),
  ('I60866', '(1,1,1), (2,2,2), (3,3,3)', '(1,1,1), (2,2,2)', 'b', 'SELECT a FROM sb WHERE 0 >= sa.a', 'true true true', 3),
  ('constant left', '(1,1,1)', '(4,1,1), (NULL,1,1)', '(3 + a * 0)', 'SELECT a FROM sb UNION SELECT b FROM sb', 'null', 0),
  ('#19423', '(1,1,1), (2,2,2), (3,3,3)', '(1,1,1), (NULL,1,1)', 'a', 'SELECT a FROM sb WHERE sa.a = sb.a', 'false true true', 2),
  ('#8844', '(NULL,1,1), (2,2,2), (3,NULL,3), (4,4,4)', '(NULL,1,1), (2,2,2), (3,NULL,3), (4,4,4)', 'a', 'SELECT b FROM sb', 'false null false null', 0),
  ('#8642', '(NULL,1,1)', '(1,1,1), (2,2,2)', 'a', 'SELECT a FROM sb', 'null', 0),
  ('#12074', '(1,1,1)', '(1,NULL,1)', '1', 'SELECT b FROM sb WHERE sb.c = sa.c', 'null', 0),
  ('#20403', '(1,1,1)', '', '(a, b)', 'SELECT max(a), max(b) FROM sb', 'null', 0),
  ('#20403 join', '(1,1,1)', '', '(a, b)', 'SELECT max(x.a), max(y.b) FROM sb x JOIN sb y USING (c)', 'null', 0),
  ('InSubquery 1', '(3,1,1), (3,NULL,2)', '(3,2,1), (NULL,1,1)', '(3, b)', 'SELECT a, b FROM sb', 'null null', 0),
  ('InSubquery 2', '(1,1,1), (NULL,1,1)', '(1,1,1)', 'a', 'SELECT a FROM sb WHERE false', 'true true', 2),
  ('InSubquery 3', '(1,1,1), (2,2,2)', '(1,1,1)', '(1, 1)', 'SELECT a, b FROM sb WHERE sb.c = sa.c LIMIT 1', 'false true', 1),
  ('ScalarFunc', '(NULL,1,1), (1,NULL,2)', '(NULL,NULL,1), (1,NULL,2)', 'a', 'SELECT a + b FROM sb', 'null null', 0),
  ('duckdb 22418', '(1,1,1), (2,2,2), (3,NULL,3), (NULL,4,4)', '(1,1,1), (NULL,4,4)', '(a, b)', 'SELECT a, b FROM sb', 'false true null null', 1),
  ('datafusion 25347', '(1,1,1), (2,2,2), (3,3,3)', '(5,1,1), (1,2,2), (NULL,3,3)', '1', 'SELECT a FROM sb WHERE sb.b = sa.b', 'true false null', 1),
  ('presto 6622', '(NULL,1,1)', '(1,1,1)', 'a', 'SELECT a FROM sb WHERE c > 5', 'true', 1)
) v(id, a_rows, b_rows, left_side, subquery, mark, kept),
LATERAL zz_scenario(v.id, a_rows, b_rows, left_side, subquery, mark, kept) s;

-- Other types: decimal and bigint NOT NULL against NULLs; "(N, 0)" differs in 0 <> 2.
CREATE TABLE sd (a numeric(40), b bigint);
INSERT INTO sd SELECT CASE WHEN i NOT IN (5, 11) THEN i % 16 END, CASE WHEN i IN (3, 9) THEN 2 ELSE 0 END FROM generate_series(0, 15) i;
SELECT * FROM zz_mark('SELECT a, b, (a, b) NOT IN (SELECT 3, 2 UNION SELECT 9, 2) FROM sd');
SELECT * FROM zz_notin('SELECT a, b FROM sd WHERE (a, b) NOT IN (SELECT 3, 2 UNION SELECT 9, 2)');
-- varchar and int; a NULL in a date list, the value a constant.
SELECT * FROM zz_mark('SELECT v, v IN (SELECT (b + 1)::text FROM sd) FROM (VALUES (''1''::varchar), (NULL), (''3'')) x(v)');
SELECT * FROM zz_notin('SELECT * FROM sd WHERE date ''2008-05-28'' NOT IN (SELECT date ''2008-05-29'' UNION SELECT NULL WHERE sd.b = 2)');
SELECT * FROM zz_notin('SELECT b FROM sd WHERE date ''2008-05-28'' + (b * 0)::int NOT IN (SELECT date ''2008-05-29'' UNION SELECT NULL)');
-- #70672: a NULL against an empty string, correlated by the same equality.
CREATE TABLE se (k bytea);
INSERT INTO se VALUES (NULL), ('');
SELECT * FROM zz_notin('SELECT * FROM se x WHERE k NOT IN (SELECT k FROM se y WHERE x.k = y.k)');
SELECT * FROM zz_mark('SELECT k, k NOT IN (SELECT k FROM se y WHERE x.k = y.k AND y.k IS NOT NULL) FROM se x');

-- I39211: verdicts must not depend on where a batch ends.
TRUNCATE sa, sb;
INSERT INTO sa SELECT 1 + i % 2, 1 + i % 2 FROM generate_series(1, 512) i;
INSERT INTO sb SELECT (ARRAY[3, 4, 1, 2, NULL])[1 + i % 5], (ARRAY[3, 4, NULL, NULL, NULL])[1 + i % 5] FROM generate_series(1, 160) i;
SELECT * FROM zz_notin('SELECT * FROM sa WHERE (a, b) NOT IN (SELECT a, b FROM sb)');
SELECT * FROM zz_mark('SELECT a, b, (a, b) NOT IN (SELECT a, b FROM sb) FROM sa');
SELECT * FROM zz_notin('SELECT * FROM sa WHERE (a, b) NOT IN (SELECT a, b FROM sb WHERE a IS NOT NULL AND a < 3)');
-- HJ: every pair of {NULL, 1 .. 5}, correlated by the first column.
TRUNCATE sa, sb;
INSERT INTO sa SELECT x, y, 1 FROM unnest('{NULL,1,2,3,4,5}'::int[]) x, unnest('{NULL,1,2,3,4,5}'::int[]) y;
INSERT INTO sb VALUES (1, 1), (1, 3), (2, NULL), (3, 1), (3, NULL), (4, 4), (NULL, 1), (NULL, NULL), (2, 4), (5, 5), (5, 1);
SELECT * FROM zz_notin('SELECT * FROM sa WHERE b NOT IN (SELECT b FROM sb WHERE sb.a = sa.a)');
SELECT * FROM zz_mark('SELECT *, b IN (SELECT b FROM sb WHERE sb.a = sa.a) FROM sa');
SELECT * FROM zz_mark('SELECT *, EXISTS (SELECT FROM sb WHERE sb.a = sa.a), NOT EXISTS (SELECT FROM sb WHERE sb.a = sa.a AND sa.b > sb.b) FROM sa');
SELECT * FROM zz_notin('SELECT * FROM sa WHERE NOT EXISTS (SELECT FROM sb WHERE sb.a = sa.a AND sa.b > sb.b)');
-- duckdb 22683: a row that differs in some column is not NULL.
SELECT * FROM zz_mark('SELECT *, (a, b) <> ANY (VALUES (1, 2)), NOT ((a, b) = ANY (VALUES (1, 2))) FROM sa');
-- turso 8227: an outer join, nothing in the set.
SELECT * FROM zz_notin('SELECT x.a, y.b FROM sa x LEFT JOIN sb y ON y.a = x.a + 3 WHERE y.b NOT IN (SELECT b FROM sb WHERE false)');
-- ballista 2188: of many partitions one has a NULL, and nothing else.
CREATE TABLE sp (a int, b int) PARTITION BY LIST (b);
CREATE TABLE sp1 PARTITION OF sp FOR VALUES IN (1);
CREATE TABLE sp2 PARTITION OF sp FOR VALUES IN (2);
CREATE TABLE sp3 PARTITION OF sp FOR VALUES IN (3);
INSERT INTO sp SELECT i, 1 + i % 2 FROM generate_series(1, 100) i;
INSERT INTO sp VALUES (NULL, 3);
SELECT * FROM zz_notin('SELECT * FROM sa WHERE a + 200 NOT IN (SELECT a FROM sp)');
SELECT * FROM zz_notin('SELECT * FROM sa WHERE a + 200 NOT IN (SELECT a FROM sp WHERE b < 3)');
SELECT * FROM zz_mark('SELECT *, a + 200 IN (SELECT a FROM sp) FROM sa');

-- All masks of three columns; duplicates in the groups with NULLs.
CREATE TABLE sm AS SELECT x AS a, y AS b, z AS c FROM unnest('{NULL,1,2}'::int[]) x, unnest('{NULL,1,2}'::int[]) y, unnest('{NULL,1,2}'::int[]) z;
SELECT count(*) AS masks, sum(nrows) AS nrows, sum(diff) AS diff, count(*) FILTER (WHERE node = 'pattern') AS patterns
FROM generate_series(0, 255) m, LATERAL zz_notin(format(
  'SELECT * FROM sm WHERE (a, b, c) NOT IN (SELECT a, b, c FROM sm s, generate_series(1, 2) WHERE (%s >> ((s.a IS NULL)::int + 2 * (s.b IS NULL)::int + 4 * (s.c IS NULL)::int)) & 1 = 1 AND coalesce(s.a, 1) + coalesce(s.b, 1) + coalesce(s.c, 1) < 5)', m));
SELECT count(*) AS masks, sum(nrows) AS nrows, sum(diff) AS diff, count(*) FILTER (WHERE marked) AS marks
FROM generate_series(0, 255) m, LATERAL zz_mark(format(
  'SELECT *, (a, b, c) IN (SELECT a, b, c FROM sm s, generate_series(1, 2) WHERE (%s >> ((s.a IS NULL)::int + 2 * (s.b IS NULL)::int + 4 * (s.c IS NULL)::int)) & 1 = 1 AND coalesce(s.a, 1) + coalesce(s.b, 1) + coalesce(s.c, 1) < 5) FROM sm', m));
-- LIMIT stops early, whatever stands behind.
SELECT * FROM zz_notin('SELECT count(*) FROM (SELECT a FROM sa WHERE a NOT IN (SELECT a FROM sp WHERE b < 3) LIMIT 2) q');
SELECT * FROM zz_notin('SELECT count(*) FROM (SELECT a FROM sa WHERE (a, b) NOT IN (SELECT a, b FROM sb) LIMIT 2) q');
-- Domains, collations, NaN and negative zero, a NULL in a field of a row.
CREATE DOMAIN sdom AS int CHECK (VALUE < 100);
CREATE COLLATION scoll (LOCALE = 'C');
SELECT * FROM zz_notin('SELECT * FROM sa WHERE a::sdom NOT IN (SELECT b::sdom FROM sb WHERE b IS NOT NULL)');
SELECT * FROM zz_notin('SELECT * FROM sa WHERE (a::sdom, b) NOT IN (SELECT b::sdom, a FROM sb)');
SELECT * FROM zz_notin('SELECT * FROM sa WHERE a::text COLLATE scoll NOT IN (SELECT b::text FROM sb WHERE b IS NOT NULL)');
SELECT * FROM zz_notin('SELECT * FROM (VALUES (''NaN''::float8, 1), (''-0'', 2), (NULL, 3)) v(x, i) WHERE (x, i) NOT IN (VALUES (''NaN''::float8, 1), (''0'', 2), (''0'', NULL))');
SELECT * FROM zz_notin('SELECT * FROM sa WHERE ROW(a, b) NOT IN (SELECT a, b FROM sb)');
SELECT * FROM zz_notin('SELECT * FROM sa WHERE sa NOT IN (SELECT x FROM sa x WHERE a IS NULL OR b = 3)');

DROP FUNCTION zz_scenario;
DROP TABLE sa, sb, sd, se, sp, sm;
