-- IN, EXISTS and their kin where a value is needed.

-- The values of (A.a, A.b) IN (B.a, B.b) and its forms for small tables:
-- no NULLs, exact match, wildcards, empty inner side.
CREATE TABLE ma (a int, b int, c int);
CREATE TABLE mb (a int, b int, c int);
CREATE FUNCTION mark_case(a_rows text, b_rows text, query text)
RETURNS TABLE (marked bool, value text) LANGUAGE plpgsql AS $$
DECLARE
  line text;
BEGIN
  TRUNCATE ma, mb;
  EXECUTE 'INSERT INTO ma VALUES ' || a_rows;
  IF b_rows <> '' THEN
    EXECUTE 'INSERT INTO mb VALUES ' || b_rows;
  END IF;
  PERFORM set_config('zigzag.debug_force', 'on', true);
  marked := false;
  FOR line IN EXECUTE format('EXPLAIN (COSTS OFF) SELECT %s FROM ma', query) LOOP
    marked := marked OR line LIKE '%MarkJoin%';
  END LOOP;
  FOR value IN EXECUTE format('SELECT coalesce((%s)::text, ''NULL'') FROM ma ORDER BY ma', query) LOOP
    RETURN NEXT;
  END LOOP;
END $$;

SELECT * FROM mark_case('(1,1,1)', '(1,2,2)', '(a, b) NOT IN (SELECT a, b FROM mb)');
SELECT * FROM mark_case('(1,1,1)', '(1,2,2), (1,1,1)', '(a, b) NOT IN (SELECT a, b FROM mb)');
SELECT * FROM mark_case('(1,1,1)', '(1,2,2), (1,1,1), (1,NULL,2)', '(a, b) NOT IN (SELECT a, b FROM mb)');
SELECT * FROM mark_case('(1,1,1)', '(1,2,2), (1,NULL,2), (2,NULL,2)', '(a, b) <> ALL (SELECT a, b FROM mb)');
SELECT * FROM mark_case('(1,1,1)', '(1,2,2), (1,1,1)', '(a, b) NOT IN (SELECT a, b FROM mb WHERE false)');
SELECT * FROM mark_case('(1,NULL,1)', '', '(a, b) NOT IN (SELECT a, b FROM mb)');
SELECT * FROM mark_case('(1,NULL,1)', '(2,NULL,2)', '(a, b) NOT IN (SELECT a, b FROM mb)');
SELECT * FROM mark_case('(1,NULL,1)', '(2,NULL,2), (NULL,NULL,2)', '(a, b) NOT IN (SELECT a, b FROM mb)');
SELECT * FROM mark_case('(1,NULL,1)', '(2,2,2)', '(a, b) NOT IN (SELECT a, b FROM mb)');
SELECT * FROM mark_case('(1,NULL,1)', '(1,2,2)', '(a, b) NOT IN (SELECT a, b FROM mb)');
SELECT * FROM mark_case('(1,NULL,1)', '(2,2,2), (2,NULL,2), (NULL,NULL,2)', '(a, b) NOT IN (SELECT a, b FROM mb WHERE ma.c = mb.c)');
SELECT * FROM mark_case('(1,1,1)', '(2,NULL,2)', '(a, b) <> ALL (SELECT a, b FROM mb)');
SELECT * FROM mark_case('(1,1,1)', '(2,NULL,2)', '(a + 1, b * 2) NOT IN (SELECT a, b FROM mb)');
SELECT * FROM mark_case('(1,1,1)', '(2,NULL,2), (2,2,2)', '(a + 1, b * 2) NOT IN (SELECT a, b FROM mb)');
SELECT * FROM mark_case('(NULL,1,1)', '', 'a IN (SELECT a FROM mb)');
SELECT * FROM mark_case('(NULL,1,1)', '(1,1,1)', 'a IN (SELECT a FROM mb)');
SELECT * FROM mark_case('(NULL,1,1)', '(1,1,1)', 'a IN (SELECT a FROM mb WHERE c > 5)');
SELECT * FROM mark_case('(2,1,1)', '(1,1,1), (NULL,1,1)', 'a IN (SELECT a FROM mb)');
SELECT * FROM mark_case('(1,1,1)', '(1,1,1), (NULL,1,1)', 'a IN (SELECT a FROM mb)');
SELECT * FROM mark_case('(NULL,1,1), (2,2,2), (3,NULL,3), (4,4,4)', '(NULL,1,1), (2,2,2), (3,NULL,3), (4,4,4)', 'a IN (SELECT b FROM mb)');
SELECT * FROM mark_case('(1,1,1), (2,2,2), (3,NULL,3), (NULL,4,4)', '(1,1,1), (NULL,4,4)', '(a, b) NOT IN (SELECT a, b FROM mb)');
SELECT * FROM mark_case('(NULL,3,1)', '(1,2,1)', 'NOT ((a, b) = ANY (SELECT a, b FROM mb))');
-- an aggregate over nothing gives one row of NULLs
SELECT * FROM mark_case('(1,1,1)', '', '(a, b) NOT IN (SELECT max(a), max(b) FROM mb)');
-- the groups of a correlated set: none, without NULL, with NULL
SELECT * FROM mark_case('(1,1,1), (NULL,1,1), (1,1,2), (NULL,2,2), (2,2,3), (NULL,3,NULL)',
                        '(1,1,2), (3,1,2), (NULL,1,3), (1,1,3), (5,5,NULL)',
                        'a IN (SELECT a FROM mb WHERE mb.c = ma.c)');
SELECT * FROM mark_case('(1,1,1)', '(1,2,2)', 'EXISTS (SELECT 1 FROM mb WHERE mb.a = ma.a)');
SELECT * FROM mark_case('(NULL,1,1)', '(NULL,2,2)', 'EXISTS (SELECT 1 FROM mb WHERE mb.a = ma.a)');
SELECT * FROM mark_case('(1,1,1)', '(1,2,2)', 'NOT EXISTS (SELECT 1 FROM mb WHERE mb.a = ma.a AND mb.b < ma.b)');
SELECT * FROM mark_case('(1,1,1)', '(2,NULL,2)', '((a, b) IN (SELECT a, b FROM mb)) IS TRUE');
SELECT * FROM mark_case('(1,1,1)', '(1,NULL,2)', '((a, b) IN (SELECT a, b FROM mb)) IS NULL');
SELECT * FROM mark_case('(1,1,1)', '(1,NULL,2)', '((a, b) IN (SELECT a, b FROM mb)) IS NOT TRUE');
SELECT * FROM mark_case('(1,1,1)', '(1,NULL,2)', '((a, b) NOT IN (SELECT a, b FROM mb)) IS NOT FALSE');

-- larger tables
CREATE TABLE mo (i int, a int, b int, c bigint, d text, e int NOT NULL);
CREATE TABLE mi (i int, a int, b int, c bigint, d varchar, e int NOT NULL);
INSERT INTO mo SELECT g,
  CASE WHEN zz_hash(g, 1, 10) > 0 THEN zz_hash(g, 2, 40) END,
  CASE WHEN zz_hash(g, 3, 5) > 0 THEN zz_hash(g, 4, 7) END,
  zz_hash(g, 5, 30), 'x' || zz_hash(g, 6, 20), zz_hash(g, 7, 12)
FROM generate_series(1, 500) g;
INSERT INTO mi SELECT g,
  zz_hash(g, 12, 60), CASE WHEN zz_hash(g, 13, 6) > 0 THEN zz_hash(g, 14, 9) END,
  zz_hash(g, 15, 40), 'x' || zz_hash(g, 16, 30), zz_hash(g, 17, 15)
FROM generate_series(1, 300) g;
ANALYZE mo, mi;
SELECT * FROM zz_mark('SELECT i, a IN (SELECT a FROM mi) FROM mo');
SELECT * FROM zz_mark('SELECT i, a NOT IN (SELECT b FROM mi) FROM mo');
SELECT * FROM zz_mark('SELECT i, a IN (SELECT c FROM mi), d IN (SELECT d FROM mi) FROM mo');
SELECT * FROM zz_mark('SELECT * FROM mo WHERE b = 3 OR a IN (SELECT a FROM mi WHERE e < 5)');
SELECT * FROM zz_mark('SELECT * FROM mo WHERE b = 3 OR a NOT IN (SELECT a FROM mi WHERE e < 5)');
SELECT * FROM zz_mark('SELECT * FROM mo WHERE b = 3 OR NOT EXISTS (SELECT FROM mi WHERE mi.e = mo.e AND mi.i > mo.i)');
SELECT * FROM zz_mark('SELECT i, (a, b) NOT IN (SELECT a, b FROM mi) FROM mo');
SELECT * FROM zz_mark('SELECT i, (a, b, c) IN (SELECT a, b, c FROM mi) FROM mo');
SELECT * FROM zz_mark('SELECT i, b IN (SELECT b FROM mi WHERE mi.e = mo.e) FROM mo');
SELECT * FROM zz_mark('SELECT i, (a, b) IN (SELECT a, b FROM mi WHERE mi.e = mo.e) FROM mo');
SELECT * FROM zz_mark('SELECT CASE WHEN a IN (SELECT a FROM mi) THEN 1 WHEN EXISTS (SELECT FROM mi WHERE mi.d = mo.d) THEN 2 END, i FROM mo');
SELECT * FROM zz_mark('SELECT (a IN (SELECT a FROM mi)) IS NOT TRUE, (b NOT IN (SELECT b FROM mi)) IS NULL, i FROM mo');
SELECT * FROM zz_mark('SELECT * FROM mo WHERE (a IN (SELECT a FROM mi)) IS NOT FALSE');
-- grouping
SELECT * FROM zz_mark('SELECT a IN (SELECT a FROM mi), count(*) FROM mo GROUP BY 1');
SELECT * FROM zz_mark('SELECT a, NOT (a IN (SELECT a FROM mi)), count(*) FROM mo GROUP BY a, a IN (SELECT a FROM mi) HAVING a IN (SELECT a FROM mi)');
SELECT * FROM zz_mark('SELECT e, count(*) FILTER (WHERE a IN (SELECT a FROM mi)), bool_or(b IN (SELECT b FROM mi)) FROM mo GROUP BY e');
SELECT * FROM zz_mark('SELECT e, e IN (SELECT a FROM mi), count(*) FROM mo GROUP BY e');
SELECT * FROM zz_mark('SELECT count(*) FROM mo WHERE e = 3 OR a IN (SELECT a FROM mi)');
SELECT * FROM zz_mark('SELECT i, rank() OVER (PARTITION BY a IN (SELECT a FROM mi) ORDER BY i) FROM mo');
-- the set: aggregates, DISTINCT, LIMIT, set operations, joins, no FROM, CTEs
SELECT * FROM zz_mark('SELECT i, a IN (SELECT max(a) FROM mi GROUP BY e) FROM mo');
SELECT * FROM zz_mark('SELECT i, a IN (SELECT DISTINCT a FROM mi) FROM mo');
SELECT * FROM zz_mark('SELECT i, a IN (SELECT a FROM mi ORDER BY a, i LIMIT 20) FROM mo');
SELECT * FROM zz_mark('SELECT i, a IN (SELECT a FROM mi UNION SELECT b FROM mi) FROM mo');
SELECT * FROM zz_mark('SELECT i, a IN (SELECT x.a FROM mi x JOIN mi y USING (i) LEFT JOIN mo z ON z.a = y.b) FROM mo');
SELECT * FROM zz_mark('SELECT i, a IN (VALUES (1), (NULL), (2)) FROM mo');
SELECT * FROM zz_mark('WITH w AS (SELECT a FROM mi) SELECT i, a IN (SELECT a FROM w), b IN (SELECT a FROM w) FROM mo');
SELECT * FROM zz_mark('SELECT i, a IN (WITH w AS MATERIALIZED (SELECT a FROM mi) SELECT a FROM w) FROM mo');
SELECT * FROM zz_mark('SELECT i, a IN (SELECT mi.a FROM mi WHERE mi.b = 1 OR mi.e IN (SELECT b FROM mo)) FROM mo');
-- outer joins: a mark must not be taken before its values are final
SELECT * FROM zz_mark('SELECT x.i, y.a IN (SELECT a FROM mi WHERE false) FROM mo x LEFT JOIN mo y ON y.i = x.i + 490');
SELECT * FROM zz_mark('SELECT x.i, y.a IN (SELECT a FROM mi) FROM mo x LEFT JOIN mo y ON y.i = x.i + 490');
SELECT * FROM zz_mark('SELECT x.i, y.a IN (SELECT a FROM mi WHERE mi.e = y.e) FROM mo x FULL JOIN mo y ON y.i = x.i + 490');
SELECT * FROM zz_mark('SELECT x.i, q.k FROM mo x LEFT JOIN (SELECT i, a IN (SELECT a FROM mi) AS k FROM mo) q ON q.i = x.i + 490');
SELECT * FROM zz_mark('SELECT x.i, q.k FROM mo x LEFT JOIN (SELECT i, a IN (SELECT a FROM mi) AS k FROM mo) q ON q.i = x.i + 490 WHERE q.k IS NOT TRUE');
-- conditions on the mark must not turn the join into an inner one
SELECT * FROM zz_mark('SELECT i FROM mo WHERE (a IN (SELECT a FROM mi WHERE e = 2)) IS FALSE');
SELECT * FROM zz_mark('SELECT i FROM (SELECT i, a IN (SELECT a FROM mi WHERE e = 2) AS k FROM mo) q WHERE NOT k');
-- a constant that the planner would hand on to the inner side
SELECT * FROM zz_mark('SELECT i, a IN (SELECT b FROM mi) FROM mo WHERE a = 5');
SELECT nrows, diff FROM zz_mark('SELECT i FROM mo WHERE a = 5 AND (b = 2 OR a IN (SELECT b FROM mi))');
-- rescans: the set depends on the outer query, or only the outer rows do
SELECT * FROM zz_mark('SELECT x.i, (SELECT count(*) FROM mo WHERE a IN (SELECT mi.b FROM mi WHERE mi.e > x.e) OR mo.e = x.e) FROM mo x WHERE x.i < 40');
SELECT * FROM zz_mark('SELECT x.i, (SELECT bool_and(a NOT IN (SELECT mi.b FROM mi)) FROM mo WHERE mo.e = x.e) FROM mo x WHERE x.i < 40');
SELECT * FROM zz_mark('SELECT x.i, l.k FROM mo x, LATERAL (SELECT (a, b) IN (SELECT mi.a, mi.b FROM mi WHERE mi.e > x.e) AS k FROM mo WHERE mo.e = x.e) l WHERE x.i < 40');
-- batches
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
CREATE TABLE mbig AS SELECT g AS i, CASE WHEN g % 1000 > 0 THEN g * 3 % 5000 END AS a, CASE WHEN g % 77 > 0 THEN g % 50 END AS b, repeat('z', 20) AS z FROM generate_series(1, 6000) g;
ANALYZE mbig;
SELECT * FROM zz_mark('SELECT i, a IN (SELECT a FROM mbig WHERE i > 3000) FROM mbig');
SELECT * FROM zz_mark('SELECT i, a IN (SELECT a FROM mbig WHERE i > 3000 AND a IS NOT NULL) FROM mbig');
SELECT * FROM zz_mark('SELECT i, (a, z) NOT IN (SELECT a, z FROM mbig WHERE i % 3 = 0) FROM mbig WHERE i < 2000');
RESET work_mem;
RESET hash_mem_multiplier;
-- workers; with one hash table for all of them, a NULL is seen by one alone
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT * FROM zz_mark('SELECT i, a IN (SELECT a FROM mbig WHERE i > 3000) FROM mbig');
SELECT * FROM zz_mark('SELECT i, a IN (SELECT a FROM mbig WHERE i % 2 = 0 AND (a IS NOT NULL OR i = 5000)) FROM mbig');
SELECT * FROM zz_mark('SELECT i, (a, b) IN (SELECT a, b FROM mbig WHERE i % 2 = 0) FROM mbig');
SELECT * FROM zz_mark('SELECT i FROM mbig WHERE b = 3 OR a IN (SELECT a FROM mbig WHERE i % 2 = 0)');
SET enable_parallel_hash = off;
SELECT * FROM zz_mark('SELECT i, a IN (SELECT a FROM mbig WHERE i % 2 = 0 AND (a IS NOT NULL OR i = 5000)) FROM mbig');
RESET enable_parallel_hash;
RESET max_parallel_workers_per_gather;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
-- what is left alone
SET zigzag.debug_force = on;
CREATE SEQUENCE mark_calls;
CREATE FUNCTION counted(x int) RETURNS int LANGUAGE plpgsql VOLATILE AS $$
BEGIN PERFORM nextval('mark_calls'); RETURN x; END $$;
SELECT bool_or(line LIKE '%MarkJoin%') AS marked FROM zz_explain('SELECT i, a IN (SELECT counted(a) FROM mi) FROM mo') AS line;
SELECT bool_or(line LIKE '%MarkJoin%') AS marked FROM zz_explain('SELECT i, counted(a) IN (SELECT a FROM mi) FROM mo') AS line;
-- CASE keeps a division by zero from happening
SELECT count(*) FROM (SELECT CASE WHEN e > 0 THEN 12 / e IN (SELECT a FROM mi) END, CASE WHEN i > 1000 THEN i IN (SELECT a / (e - e) FROM mi) END FROM mo OFFSET 0) q;
SELECT count(*) FROM mo WHERE e = 0 OR 12 / e IN (SELECT a FROM mi);
SELECT count(*) FROM (SELECT 12 / x.e IN (SELECT a FROM mi) FROM mo x WHERE e > 0 OFFSET 0) q;
UPDATE mo SET i = i WHERE i < 3 AND (e = 99 OR a IN (SELECT a FROM mi));
-- an expensive set is computed once
CREATE FUNCTION logged(x bigint) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN RAISE NOTICE 'group %', x; RETURN x; END $$;
SELECT count(*) FILTER (WHERE v), count(*) FILTER (WHERE NOT v) FROM
  (SELECT i, e IN (SELECT logged(count(*)) FROM mi x JOIN mi y USING (i) WHERE x.e < 3 GROUP BY x.e HAVING x.e = 1) AS v FROM mo) q;
RESET zigzag.debug_force;

-- no error where a CASE or an OR skips the subquery: a column may be an expression
SELECT * FROM zz_mark('SELECT i, CASE WHEN d <> 0 THEN v IN (SELECT a FROM mi) END FROM (SELECT i, e - 2 AS d, 6 / (e - 2) AS v FROM mo) q');
SELECT * FROM zz_mark('SELECT i FROM (SELECT i, e - 2 AS d, 6 / (e - 2) AS v FROM mo) q WHERE d = 0 OR v IN (SELECT a FROM mi)');
SELECT * FROM zz_mark('WITH q AS (SELECT i, e - 2 AS d, 6 / (e - 2) AS v FROM mo) SELECT i FROM q WHERE d = 0 OR v IN (SELECT a FROM mi)');
SELECT * FROM zz_mark('SELECT i FROM mo WHERE e = 2 OR EXISTS (SELECT FROM mi WHERE mi.a = 6 / (mo.e - 2))');
SELECT * FROM zz_mark('SELECT i FROM mo WHERE e = 2 OR EXISTS (SELECT FROM mi WHERE mi.e = mo.e AND mi.a > 6 / (mo.e - 2))');
SELECT * FROM zz_mark('SELECT i FROM mo WHERE e <> 2 OR ARRAY[ARRAY[a], CASE WHEN e = 2 THEN ARRAY[b] ELSE ARRAY[a, b] END] IN (SELECT ARRAY[ARRAY[a], ARRAY[b]] FROM mi)');
-- but a column that is computed before, or cannot fail, is one like any other
SELECT * FROM zz_mark('SELECT i FROM (SELECT e - 2 AS i, sum(b) AS v FROM mo WHERE e <> 2 GROUP BY e) q WHERE i = 0 OR v IN (SELECT a FROM mi)');
SELECT * FROM zz_mark('SELECT i FROM (SELECT i, a AS v FROM mo) q WHERE i = 0 OR v IN (SELECT a FROM mi)');

-- a condition without variables: servers 15 and 16 do not call the join hook
PREPARE pseudo(int) AS SELECT count(*), count(*) FILTER (WHERE k) FROM (SELECT a IN (SELECT a FROM mi WHERE e = 2) AS k FROM mo WHERE $1 > 0 OFFSET 0) q;
SET plan_cache_mode = force_generic_plan;
SET zigzag.debug_force = on;
EXECUTE pseudo(1);
EXECUTE pseudo(0);
SET zigzag.enable = off;
DEALLOCATE pseudo;
PREPARE pseudo(int) AS SELECT count(*), count(*) FILTER (WHERE k) FROM (SELECT a IN (SELECT a FROM mi WHERE e = 2) AS k FROM mo WHERE $1 > 0 OFFSET 0) q;
EXECUTE pseudo(1);
EXECUTE pseudo(0);
RESET zigzag.enable;
RESET plan_cache_mode;

-- plans
SELECT zz_explain('SELECT i, a IN (SELECT a FROM mi) FROM mo');
SELECT zz_explain('SELECT i FROM mo WHERE b = 3 OR a IN (SELECT a FROM mi)');
SELECT zz_explain('SELECT i FROM mo WHERE b = 3 OR EXISTS (SELECT FROM mi WHERE mi.a = mo.a AND mi.i > mo.i)');
SELECT line FROM zz_explain('SELECT count(k) FROM (SELECT (a, b) IN (SELECT a, b FROM mi) AS k FROM mo OFFSET 0) q', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF') AS line
WHERE line !~ 'Buckets|Memory';
-- of inner rows that differ only in keys that do not count, a lookup keeps one
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT line FROM zz_explain('SELECT count(k) FROM (SELECT (b, nullif(a, a)) IN (SELECT g % 7, g FROM generate_series(1, 20000) g) AS k FROM mo OFFSET 0) q', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF') AS line
WHERE line ~ 'Lookup Tables';
RESET work_mem;
RESET hash_mem_multiplier;
RESET zigzag.debug_force;
-- small sets keep their hash table, as does everything with the setting off
SELECT bool_or(line LIKE '%MarkJoin%') AS marked FROM zz_explain('SELECT i, a IN (SELECT a FROM mi) FROM mo') AS line;
SET zigzag.debug_force = on;
SET zigzag.enable_mark = off;
SELECT bool_or(line LIKE '%MarkJoin%') AS marked FROM zz_explain('SELECT i, a IN (SELECT a FROM mi) FROM mo') AS line;
RESET zigzag.enable_mark;
RESET zigzag.debug_force;

DROP TABLE ma, mb, mo, mi, mbig;
DROP SEQUENCE mark_calls;
DROP FUNCTION counted, logged, mark_case;
