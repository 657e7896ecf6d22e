-- Plans of NOT IN, and the reasons where there is none.

CREATE TABLE po (id int PRIMARY KEY, a int, b int);
CREATE TABLE pi (k int PRIMARY KEY, a int, b int, c int);
INSERT INTO po SELECT i, i, i % 10 FROM generate_series(1, 20000) i;
INSERT INTO pi SELECT i, i * 2, i % 10, i % 3 FROM generate_series(1, 40000) i;
CREATE INDEX pi_a ON pi (a);
VACUUM ANALYZE po, pi;
SET work_mem = '256kB';

-- Too much for a hashed subplan.
SELECT * FROM zz_explain('SELECT * FROM po WHERE a NOT IN (SELECT b FROM pi)');
SELECT * FROM zz_explain('SELECT * FROM po WHERE (a, b) NOT IN (SELECT a, b FROM pi)');
SELECT * FROM zz_explain('SELECT * FROM po WHERE (a, b) NOT IN (SELECT a, b FROM pi WHERE pi.k = po.id AND pi.c > po.b)');
-- Each = proved to know no NULL is a plain one.
SELECT * FROM zz_explain('SELECT * FROM po WHERE id NOT IN (SELECT k FROM pi)');
SELECT * FROM zz_explain('SELECT * FROM po WHERE id NOT IN (SELECT a FROM pi WHERE a IS NOT NULL)');
SELECT * FROM zz_explain('SELECT * FROM po WHERE (id, b) NOT IN (SELECT k, b FROM pi)');
-- Few rows wanted, an index: nested loop.
SELECT * FROM zz_explain('SELECT * FROM po WHERE a NOT IN (SELECT a FROM pi) LIMIT 3');
SELECT * FROM zz_explain('SELECT * FROM po WHERE id < 20 AND a NOT IN (SELECT a FROM pi)');
-- Small and hashed: core's plan stays.
SELECT * FROM zz_explain('SELECT * FROM po WHERE a NOT IN (SELECT c FROM pi WHERE k < 3)');
-- The order of the outer rows is kept.
SELECT * FROM zz_explain('SELECT * FROM po WHERE (a, b) NOT IN (SELECT a, b FROM pi) ORDER BY id LIMIT 5000');
-- The subquery runs once.
SELECT * FROM zz_explain('SELECT * FROM po WHERE a NOT IN (SELECT max(x.a) FROM pi x JOIN pi y ON x.k = y.k + 1 GROUP BY x.b)');

-- What ANALYZE tells.
-- How much fits into one load is the allocator's affair: only that there are several is told.
SELECT regexp_replace(l, '(Lookups|Batches): ([2-9]|\d{2,})$', '\1: several') AS plan
FROM zz_explain('SELECT * FROM po WHERE (a, b) NOT IN (SELECT a, nullif(b, 1) FROM pi)', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF') l WHERE l !~ 'Memory';
INSERT INTO pi VALUES (0, NULL, 0, 0);
SELECT * FROM zz_explain('SELECT * FROM po WHERE a NOT IN (SELECT nullif(a, 20) FROM pi)', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF') l WHERE l !~ 'Buckets';
SELECT * FROM zz_explain('SELECT * FROM po WHERE (a, b) NOT IN (SELECT a, b FROM pi)', 'FORMAT JSON, COSTS OFF');
SELECT * FROM zz_explain('SELECT * FROM po WHERE a + 1 NOT IN (SELECT b + 1 FROM pi)', 'VERBOSE, COSTS OFF');

-- A user who asks is told.
SET zigzag.warn_null = on;
SELECT count(*) FROM po WHERE a NOT IN (SELECT a FROM pi);
SELECT count(*) FROM po WHERE (a, b) NOT IN (SELECT NULL::int, nullif(b, 3) FROM pi);
SELECT count(*) FROM po WHERE a NOT IN (SELECT a FROM pi WHERE a IS NOT NULL);
RESET zigzag.warn_null;

-- Switched off.
SET zigzag.enable_notin = off;
SELECT * FROM zz_explain('SELECT * FROM po WHERE (a, b) NOT IN (SELECT a, b FROM pi)');
RESET zigzag.enable_notin;

-- Reasons.
SET client_min_messages = debug1;
SELECT * FROM zz_explain('SELECT * FROM po WHERE a NOT IN (SELECT c FROM pi WHERE k < 3)');
RESET client_min_messages;
INSERT INTO po SELECT i, i, i % 10 FROM generate_series(20001, 60000) i;
ANALYZE po;
SET client_min_messages = debug1;
SELECT * FROM zz_explain('SELECT * FROM po WHERE a NOT IN (SELECT max(k + 0) FROM pi WHERE pi.b = po.b)');
SELECT * FROM zz_explain('SELECT * FROM po WHERE a NOT IN (SELECT c FROM pi WHERE k < 3 AND random() < 1)');
SELECT * FROM zz_explain('SELECT * FROM po WHERE a NOT IN (SELECT c FROM pi WHERE k < 3) AND random() < 1');
SELECT * FROM zz_explain('SELECT * FROM po WHERE NOT (a < ANY (SELECT c FROM pi WHERE k < 3))');
SELECT * FROM zz_explain('SELECT * FROM po WHERE (SELECT 1) NOT IN (SELECT c FROM pi WHERE k < 3)');
SELECT * FROM zz_explain('SELECT * FROM po WHERE a NOT IN (SELECT c FROM pi WHERE k < 3 FOR UPDATE)');
SELECT * FROM zz_explain('SELECT * FROM po WHERE a NOT IN (SELECT c FROM pi WHERE k < 3)');
RESET client_min_messages;
-- A subplan in a join condition is shown with what its parameters stand for.
SET zigzag.debug_force = on;
SELECT * FROM zz_explain('SELECT * FROM po WHERE a NOT IN (SELECT c FROM pi WHERE k NOT IN (SELECT i.c FROM pi i WHERE i.k <> po.a AND i.k < pi.k))');
-- A column that is an anonymous record: left alone.
SELECT * FROM zz_explain('SELECT (r).f1 FROM (SELECT row(a, b) AS r, a FROM po OFFSET 0) s WHERE (r).f1 IS NOT NULL AND a NOT IN (SELECT c FROM pi)', 'VERBOSE, COSTS OFF');
SELECT * FROM zz_explain('SELECT (r).f1, a IN (SELECT c FROM pi) FROM (SELECT row(a, b) AS r, a FROM po OFFSET 0) s WHERE (r).f1 IS NOT NULL', 'VERBOSE, COSTS OFF');
RESET zigzag.debug_force;
