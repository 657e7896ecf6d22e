-- NOT IN as a null-aware anti join: same rows as with zigzag off.

-- All pairs of a small domain with NULL, on both sides.
CREATE TABLE no AS
  SELECT row_number() OVER () AS id, a, b, c
  FROM unnest('{NULL,1,2,3,4,5}'::int[]) a, unnest('{NULL,1,2}'::int[]) b,
       unnest('{NULL,1,2}'::int[]) c;
CREATE TABLE ni (a int, b int, c int);
INSERT INTO ni VALUES (1, 1, 1), (2, NULL, 1), (NULL, 2, 2), (3, 3, NULL), (2, 2, 2);
CREATE TABLE nn AS SELECT * FROM ni WHERE a IS NOT NULL;
CREATE TABLE ne AS SELECT * FROM ni WHERE false;
ANALYZE no, ni, nn, ne;

-- One column: with a NULL, without, empty.
SELECT * FROM zz_notin('SELECT * FROM no WHERE a NOT IN (SELECT a FROM ni)');
SELECT * FROM zz_notin('SELECT * FROM no WHERE a NOT IN (SELECT a FROM nn)');
SELECT * FROM zz_notin('SELECT * FROM no WHERE a NOT IN (SELECT a FROM ne)');
SELECT * FROM zz_notin('SELECT * FROM no WHERE a NOT IN (SELECT a FROM ni WHERE a > 1)');
SELECT * FROM zz_notin('SELECT * FROM no WHERE a <> ALL (SELECT a FROM nn)');
SELECT * FROM zz_notin('SELECT * FROM no WHERE NOT (a = ANY (SELECT a FROM nn))');
SELECT * FROM zz_notin('SELECT * FROM no WHERE NOT (a IN (SELECT a FROM nn) OR b IN (SELECT b FROM nn WHERE b > 1))');
SELECT * FROM zz_notin('SELECT * FROM no WHERE a IS NOT NULL AND a NOT IN (SELECT a FROM ni WHERE a IS NOT NULL)');

-- Expressions on either side, other types.
SELECT * FROM zz_notin('SELECT * FROM no WHERE a + 1 NOT IN (SELECT a * 2 FROM nn)');
SELECT * FROM zz_notin('SELECT * FROM no WHERE a::bigint NOT IN (SELECT a FROM nn)');
SELECT * FROM zz_notin('SELECT * FROM no WHERE a NOT IN (SELECT a::bigint FROM nn)');
SELECT * FROM zz_notin('SELECT * FROM no WHERE a::text NOT IN (SELECT a::varchar FROM nn)');
SELECT * FROM zz_notin('SELECT * FROM no WHERE a::numeric NOT IN (SELECT a::numeric(8,2) FROM nn)');
SELECT * FROM zz_notin('SELECT * FROM no WHERE coalesce(a, b) NOT IN (SELECT coalesce(a, 9) FROM ni)');
SELECT * FROM zz_notin('SELECT * FROM no WHERE 3 NOT IN (SELECT a FROM nn WHERE nn.c = no.c)');
SELECT * FROM zz_notin('SELECT * FROM no WHERE a NOT IN (SELECT 3 FROM nn WHERE nn.c = no.c)');
SELECT * FROM zz_notin($$SELECT * FROM (VALUES ('NaN'::float8), ('-0'), ('0'), ('1'), (NULL)) v(x) WHERE x NOT IN (SELECT y FROM (VALUES ('NaN'::float8), ('0')) w(y))$$);
SELECT * FROM zz_notin($$SELECT * FROM no WHERE ARRAY[a, b] NOT IN (SELECT ARRAY[a, b] FROM ni)$$);
-- A NULL in a field of a composite value is no NULL.
CREATE TYPE npair AS (a int, b int);
CREATE TABLE npairs AS SELECT id, CASE WHEN id <> 5 THEN (a, b)::npair END AS r FROM no;
SELECT * FROM zz_notin('SELECT * FROM npairs WHERE r NOT IN (SELECT r FROM npairs WHERE id > 20)');
SELECT * FROM zz_notin('SELECT * FROM npairs WHERE (id, r) NOT IN (SELECT id, r FROM npairs WHERE id % 3 = 2)');

-- Several columns.
SELECT * FROM zz_notin('SELECT * FROM no WHERE (a, b) NOT IN (SELECT a, b FROM ni)');
SELECT * FROM zz_notin('SELECT * FROM no WHERE (a, b, c) NOT IN (SELECT a, b, c FROM ni)');
SELECT * FROM zz_notin('SELECT * FROM no WHERE (a, b, c) NOT IN (SELECT c, b, a FROM ni)');
SELECT * FROM zz_notin('SELECT * FROM no WHERE (a, b, c, a + b) NOT IN (SELECT a, b, c, a + c FROM ni)');
SELECT * FROM zz_notin('SELECT * FROM no WHERE (a, b) NOT IN (SELECT a, b FROM ne)');
SELECT * FROM zz_notin('SELECT * FROM no WHERE (a, b) NOT IN (SELECT a, NULL::int FROM ni)');
SELECT * FROM zz_notin('SELECT * FROM no WHERE (a, b) NOT IN (SELECT NULL::int, NULL::int FROM ni)');
SELECT * FROM zz_notin('SELECT * FROM no WHERE (a, 1) NOT IN (SELECT a, b FROM ni)');
SELECT * FROM zz_notin('SELECT * FROM no WHERE (a + 1, b * 2) NOT IN (SELECT a, b FROM ni)');

-- Correlated, by equality and otherwise.
SELECT * FROM zz_notin('SELECT * FROM no WHERE a NOT IN (SELECT a FROM ni WHERE ni.c = no.c)');
SELECT * FROM zz_notin('SELECT * FROM no WHERE a NOT IN (SELECT a FROM ni WHERE ni.a = no.a)');
SELECT * FROM zz_notin('SELECT * FROM no WHERE a NOT IN (SELECT a FROM ni WHERE ni.c > no.c)');
SELECT * FROM zz_notin('SELECT * FROM no WHERE a NOT IN (SELECT a FROM ni WHERE ni.c IS DISTINCT FROM no.c)');
SELECT * FROM zz_notin('SELECT * FROM no WHERE a NOT IN (SELECT a FROM ni WHERE no.c > 1)');
SELECT * FROM zz_notin('SELECT * FROM no WHERE (a, b) NOT IN (SELECT a, b FROM ni WHERE ni.c = no.c)');
SELECT * FROM zz_notin('SELECT * FROM no WHERE (a, b) NOT IN (SELECT a, b FROM ni WHERE ni.c <> no.c)');
SELECT * FROM zz_notin('SELECT * FROM no WHERE (a, b) NOT IN (SELECT a, b FROM ni WHERE ni.a <> no.a OR ni.b = no.c)');
SELECT * FROM zz_notin('SELECT * FROM no WHERE a NOT IN (SELECT a FROM ni WHERE ni.c = no.c AND ni.b = no.b AND ni.a > no.b)');

-- What the subquery may be.
SELECT * FROM zz_notin('SELECT * FROM no WHERE a NOT IN (SELECT x.a FROM nn x JOIN ni y USING (c))');
SELECT * FROM zz_notin('SELECT * FROM no WHERE a NOT IN (SELECT y.a FROM nn x LEFT JOIN ni y ON x.a = y.b)');
SELECT * FROM zz_notin('SELECT * FROM no WHERE a NOT IN (SELECT DISTINCT a FROM nn)');
SELECT * FROM zz_notin('SELECT * FROM no WHERE a NOT IN (SELECT DISTINCT ON (c) a FROM nn ORDER BY c, a DESC)');
SELECT * FROM zz_notin('SELECT * FROM no WHERE a NOT IN (SELECT max(a) FROM nn GROUP BY c)');
SELECT * FROM zz_notin('SELECT * FROM no WHERE a NOT IN (SELECT max(a) FROM ne)');
SELECT * FROM zz_notin('SELECT * FROM no WHERE (a, b) NOT IN (SELECT c, max(a) FROM nn GROUP BY GROUPING SETS ((c), ()))');
SELECT * FROM zz_notin('SELECT * FROM no WHERE a NOT IN (SELECT a FROM nn GROUP BY a HAVING count(*) > 1)');
SELECT * FROM zz_notin('SELECT * FROM no WHERE a NOT IN (SELECT a FROM ni ORDER BY a LIMIT 2)');
SELECT * FROM zz_notin('SELECT * FROM no WHERE a NOT IN (SELECT a FROM ni ORDER BY a NULLS FIRST OFFSET 1)');
SELECT * FROM zz_notin('SELECT * FROM no WHERE a NOT IN (SELECT rank() OVER (ORDER BY a) FROM nn)');
SELECT * FROM zz_notin('SELECT * FROM no WHERE a NOT IN (SELECT generate_series(b, a) FROM nn)');
SELECT * FROM zz_notin('SELECT * FROM no WHERE a NOT IN (SELECT a FROM nn UNION SELECT c FROM nn WHERE c IS NOT NULL)');
SELECT * FROM zz_notin('SELECT * FROM no WHERE a NOT IN (SELECT a FROM nn EXCEPT ALL SELECT 2)');
SELECT * FROM zz_notin('SELECT * FROM no WHERE a NOT IN (VALUES (1), (3))');
SELECT * FROM zz_notin('SELECT * FROM no WHERE a NOT IN (WITH w AS (SELECT a FROM nn) SELECT a FROM w WHERE a > 1)');
SELECT * FROM zz_notin('WITH w AS MATERIALIZED (SELECT a FROM nn) SELECT * FROM no WHERE a NOT IN (SELECT a FROM w) AND b NOT IN (SELECT a FROM w LIMIT 1)');
SELECT * FROM zz_notin('SELECT * FROM no WHERE a NOT IN (SELECT (SELECT max(x.a) FROM ni x WHERE x.c = ni.c) FROM ni)');
SELECT * FROM zz_notin('SELECT * FROM no WHERE a NOT IN (SELECT a FROM nn WHERE b NOT IN (SELECT c FROM nn WHERE c IS NOT NULL))');

-- Where it may stand.
SELECT * FROM zz_notin('SELECT * FROM no x JOIN no y ON x.id = y.id AND x.a NOT IN (SELECT a FROM nn)');
SELECT * FROM zz_notin('SELECT * FROM no x LEFT JOIN (SELECT * FROM no WHERE a NOT IN (SELECT a FROM nn)) y ON x.id = y.id');
SELECT * FROM zz_notin('SELECT * FROM no x LEFT JOIN nn y ON x.a = y.a WHERE y.b NOT IN (SELECT c FROM nn WHERE c IS NOT NULL)');
SELECT * FROM zz_notin('SELECT * FROM no x LEFT JOIN nn y ON x.a = y.a AND y.b NOT IN (SELECT c FROM nn WHERE c IS NOT NULL)');
SELECT * FROM zz_notin('SELECT (SELECT count(*) FROM no y WHERE y.a NOT IN (SELECT a FROM nn WHERE c = x.c)) FROM no x');
SELECT * FROM zz_notin('SELECT * FROM no x WHERE EXISTS (SELECT FROM no y WHERE y.id = x.id AND y.a NOT IN (SELECT a FROM nn WHERE b <> x.b))');
SELECT * FROM zz_notin('SELECT x.id, z.n FROM no x, LATERAL (SELECT count(*) n FROM no y WHERE y.b = x.b AND (y.a, y.c) NOT IN (SELECT a, c FROM ni)) z');
SELECT * FROM zz_notin('SELECT * FROM no WHERE a NOT IN (SELECT a FROM nn) AND b NOT IN (SELECT b FROM nn WHERE b > 1) AND c NOT IN (SELECT 1)');
SELECT * FROM zz_notin('SELECT count(*), b FROM no WHERE a NOT IN (SELECT a FROM nn) GROUP BY b');
SELECT * FROM zz_notin('SELECT * FROM no WHERE a NOT IN (SELECT a FROM nn) UNION ALL SELECT * FROM no WHERE (a, b) NOT IN (SELECT a, b FROM ni)');

-- Not a filter: left alone.
SELECT * FROM zz_notin('SELECT a NOT IN (SELECT a FROM nn) FROM no');
SELECT * FROM zz_notin('SELECT * FROM no WHERE a NOT IN (SELECT a FROM nn) OR b = 1');
SELECT * FROM zz_notin('SELECT * FROM no WHERE (a NOT IN (SELECT a FROM nn)) IS NULL');

-- An index on the inner column.
CREATE TABLE nx AS SELECT i % 500 AS a, i AS b FROM generate_series(1, 2000) i;
CREATE INDEX nx_a ON nx (a);
ANALYZE nx;
SET enable_hashjoin = off;
SELECT * FROM zz_notin('SELECT * FROM no WHERE a * 200 NOT IN (SELECT a FROM nx)');
SELECT * FROM zz_notin('SELECT * FROM no WHERE a * 200::bigint NOT IN (SELECT a FROM nx WHERE b > 1000)');
SELECT * FROM zz_notin('SELECT * FROM no WHERE a * 200 NOT IN (SELECT a FROM nx WHERE b < 0)');
INSERT INTO nx VALUES (NULL, 3000);
SELECT * FROM zz_notin('SELECT * FROM no WHERE a * 200 NOT IN (SELECT a FROM nx)');
SELECT * FROM zz_notin('SELECT * FROM no WHERE a * 200 NOT IN (SELECT a FROM nx WHERE b < 3000)');
SELECT * FROM zz_notin('SELECT * FROM no WHERE a * 200 NOT IN (SELECT a FROM nx TABLESAMPLE BERNOULLI (0))');
SELECT * FROM zz_notin('SELECT * FROM no x, LATERAL (SELECT * FROM no y WHERE y.b = x.b AND y.a * 200 NOT IN (SELECT a FROM nx WHERE b < 3000) LIMIT 3) z');
RESET enable_hashjoin;

-- Statements that change rows.
CREATE FUNCTION zz_notin_dml(stmt text) RETURNS TABLE (joined bool, diff bigint) LANGUAGE plpgsql AS $$
DECLARE
  line text;
  plan text := '';
BEGIN
  PERFORM set_config('zigzag.debug_force', 'on', true);
  CREATE TEMP TABLE t1 AS SELECT * FROM no;
  CREATE TEMP TABLE t2 AS SELECT * FROM no;
  PERFORM set_config('zigzag.enable', 'off', true);
  EXECUTE replace(stmt, '%t', 't1');
  PERFORM set_config('zigzag.enable', 'on', true);
  FOR line IN EXECUTE 'EXPLAIN ' || replace(stmt, '%t', 't2') LOOP
    plan := plan || line;
  END LOOP;
  EXECUTE replace(stmt, '%t', 't2');
  RETURN QUERY SELECT plan LIKE '%NullAware%' AND plan NOT LIKE '%SubPlan%', count(*) FROM (
    (TABLE t1 EXCEPT ALL TABLE t2) UNION ALL (TABLE t2 EXCEPT ALL TABLE t1)) d;
  DROP TABLE t1, t2;
  PERFORM set_config('zigzag.debug_force', 'off', true);
END $$;
SELECT * FROM zz_notin_dml('UPDATE %t SET b = 9 WHERE a NOT IN (SELECT a FROM nn)');
SELECT * FROM zz_notin_dml('UPDATE %t SET b = 9 FROM nn WHERE nn.a = %t.a AND (%t.a, %t.b) NOT IN (SELECT a, b FROM ni)');
SELECT * FROM zz_notin_dml('DELETE FROM %t WHERE (a, b) NOT IN (SELECT a, b FROM ni WHERE ni.c = %t.c)');
SELECT * FROM zz_notin_dml('DELETE FROM %t USING nn WHERE nn.a = %t.a AND %t.b NOT IN (SELECT b FROM nn WHERE b IS NOT NULL)');
SELECT * FROM zz_notin_dml('INSERT INTO %t SELECT id + 100, a, b, c FROM no WHERE a NOT IN (SELECT a FROM nn)');
SELECT * FROM zz_notin_dml('MERGE INTO %t USING (SELECT * FROM no WHERE a NOT IN (SELECT a FROM nn)) s ON %t.id = s.id WHEN MATCHED THEN UPDATE SET b = 7');
SELECT * FROM zz_notin_dml('WITH d AS (DELETE FROM %t WHERE a NOT IN (SELECT a FROM nn) RETURNING *) INSERT INTO %t SELECT id + 1000, a, b, c FROM d WHERE b NOT IN (SELECT 1)');
SELECT * FROM zz_notin_dml('MERGE INTO %t USING no s ON %t.id = s.id WHEN MATCHED AND s.a NOT IN (SELECT a FROM nn) THEN UPDATE SET b = 7');

-- Views, row security, prepared statements, functions, cursors.
CREATE VIEW nv AS SELECT * FROM no WHERE a NOT IN (SELECT a FROM nn);
SELECT * FROM zz_notin('SELECT * FROM nv WHERE b NOT IN (SELECT a FROM nv WHERE a IS NOT NULL)');
CREATE ROLE zz_notin_reader;
GRANT SELECT ON no, ni, nn TO zz_notin_reader;
CREATE POLICY p ON ni USING (a IS NOT NULL);
ALTER TABLE ni ENABLE ROW LEVEL SECURITY;
SET ROLE zz_notin_reader;
SELECT * FROM zz_notin('SELECT * FROM no WHERE a NOT IN (SELECT a FROM ni)');
SELECT * FROM zz_notin('SELECT * FROM no WHERE (a, b) NOT IN (SELECT a, b FROM ni)');
RESET ROLE;
ALTER TABLE ni DISABLE ROW LEVEL SECURITY;
DROP POLICY p ON ni;
DROP OWNED BY zz_notin_reader;
DROP ROLE zz_notin_reader;

SET zigzag.debug_force = on;
SET plan_cache_mode = force_generic_plan;
PREPARE np(int) AS SELECT count(*) FROM no WHERE a NOT IN (SELECT a FROM nn WHERE b < $1);
EXECUTE np(NULL);
EXECUTE np(2);
EXECUTE np(100);
EXPLAIN (COSTS OFF) EXECUTE np(2);
DEALLOCATE np;
RESET plan_cache_mode;
CREATE FUNCTION zz_count(x int) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  RETURN (SELECT count(*) FROM no WHERE (a, b) NOT IN (SELECT a, b FROM ni WHERE ni.c = x));
END $$;
SELECT zz_count(x) FROM generate_series(0, 3) x;
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT id FROM no WHERE a NOT IN (SELECT a FROM nn) ORDER BY id;
FETCH 2 FROM c;
FETCH BACKWARD 1 FROM c;
FETCH LAST FROM c;
COMMIT;
RESET zigzag.debug_force;
DROP FUNCTION zz_count;
