-- IN by index probes where its value is needed: same rows as with zigzag off.

CREATE TABLE bo (id int PRIMARY KEY, x int, n int NOT NULL, t text, k int, pad text);
CREATE TABLE bi (y int, m int NOT NULL, u text, k int, l bigint, pad text);
INSERT INTO bo SELECT i, CASE WHEN zz_hash(i, 1, 10) > 0 THEN zz_hash(i, 2, 60000) END,
  zz_hash(i, 3, 60000), 't' || zz_hash(i, 4, 60000), zz_hash(i, 5, 50), repeat('p', 100)
FROM generate_series(1, 3000) i;
INSERT INTO bi SELECT zz_hash(i, 6, 60000), zz_hash(i, 7, 60000), 't' || zz_hash(i, 8, 60000),
  zz_hash(i, 9, 50), zz_hash(i, 10, 60000), repeat('p', 100)
FROM generate_series(1, 30000) i;
CREATE TABLE bn AS SELECT * FROM bi;
INSERT INTO bn (m) VALUES (5);
CREATE INDEX bi_y ON bi (y);
CREATE INDEX bi_m ON bi (m);
CREATE INDEX bi_u ON bi (u);
CREATE INDEX bi_ky ON bi (k, y);
CREATE INDEX bi_l ON bi (l);
CREATE INDEX bn_y ON bn (y);
VACUUM ANALYZE bo, bi, bn;

-- By its cost: few rows, a large set.
SELECT zz_explain('SELECT id, n IN (SELECT m FROM bi) FROM bo WHERE id < 10', 'VERBOSE, COSTS OFF');
SELECT zz_explain('SELECT id, x IN (SELECT y FROM bn) FROM bo ORDER BY id DESC LIMIT 10', 'COSTS OFF');
SELECT zz_explain('SELECT id FROM bo WHERE id < 10 AND (k = 3 OR x IN (SELECT y FROM bi))');
SELECT zz_explain('SELECT id, x IN (SELECT y FROM bi WHERE bi.k = bo.k) FROM bo WHERE id < 10');
-- All rows: the set is read once, by a hashed subplan or a MarkJoin.
SELECT zz_explain('SELECT id, x IN (SELECT y FROM bi) FROM bo');
SET work_mem = '64kB';
SELECT zz_explain('SELECT id, x IN (SELECT y FROM bi) FROM bo');
RESET work_mem;

-- zz_probe: does the forced plan probe an index for each row?
CREATE FUNCTION zz_probe(query text, OUT probed bool, OUT nrows bigint, OUT diff bigint)
LANGUAGE sql AS $$
  SELECT plan ~ 'Index Cond: .* = .*\m(bo|b2)\.', c.nrows, c.diff FROM zz_compare(query, query ~* 'order by') c
$$;
SET zigzag.enable_mark = off;
SET zigzag.enable_or = off;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
-- NULL on either side, on both, on none; an empty set
SELECT * FROM zz_probe('SELECT id, x IN (SELECT y FROM bi) FROM bo');
SELECT * FROM zz_probe('SELECT id, x NOT IN (SELECT y FROM bn) FROM bo');
SELECT * FROM zz_probe('SELECT id, n IN (SELECT m FROM bi) FROM bo');
SELECT * FROM zz_probe('SELECT id, n <> ALL (SELECT y FROM bn) FROM bo');
SELECT * FROM zz_probe('SELECT id, x = ANY (SELECT y FROM bi WHERE m < 0) FROM bo');
SELECT * FROM zz_probe('SELECT id, x <> ALL (SELECT y FROM bn WHERE m = 5) FROM bo');
SELECT * FROM zz_probe('SELECT id, (x IN (SELECT y FROM bn)) IS UNKNOWN, (x NOT IN (SELECT y FROM bi)) IS NOT FALSE FROM bo');
-- other types, casts, a constant, an expression
SELECT * FROM zz_probe('SELECT id, t IN (SELECT u FROM bi) FROM bo');
SELECT * FROM zz_probe('SELECT id, t::varchar IN (SELECT u FROM bi) FROM bo');
SELECT * FROM zz_probe('SELECT id, x IN (SELECT l FROM bi) FROM bo');
SELECT * FROM zz_probe('SELECT id, 7 IN (SELECT y FROM bi) FROM bo');
SELECT * FROM zz_probe('SELECT id, coalesce(x, 7) IN (SELECT y FROM bi) FROM bo');
SELECT * FROM zz_probe('SELECT id, x IN (SELECT y + 1 FROM bi) FROM bo');
-- correlation
SELECT * FROM zz_probe('SELECT id, x IN (SELECT y FROM bi WHERE bi.k = bo.k) FROM bo');
SELECT * FROM zz_probe('SELECT id, x NOT IN (SELECT y FROM bn WHERE bn.m > bo.n) FROM bo WHERE id < 300');
SELECT * FROM zz_probe('SELECT id, (SELECT count(*) FROM bo b2 WHERE b2.id < 9 AND (b2.x IN (SELECT y FROM bi WHERE bi.k = bo.k) OR b2.k = bo.k)) FROM bo WHERE id < 100');
-- several columns, where no NULL can be or only TRUE counts
SELECT * FROM zz_probe('SELECT id FROM bo WHERE k = 3 OR (x, k) IN (SELECT y, k FROM bi)');
SELECT * FROM zz_probe('SELECT id, (n, k) IN (SELECT m, k FROM bi WHERE k > 3) FROM bo WHERE k > 1');
SELECT * FROM zz_probe('SELECT id, (n, id) NOT IN (SELECT m, m FROM bi) FROM bo');
-- joins, DISTINCT, ORDER BY in the set; outer joins around it
SELECT * FROM zz_probe('SELECT id, x IN (SELECT DISTINCT bi.y FROM bi JOIN bn ON bn.y = bi.m ORDER BY bi.y) FROM bo WHERE id < 300');
SELECT * FROM zz_probe('SELECT id, x IN (SELECT bn.y FROM bi LEFT JOIN bn ON bn.y = bi.m AND bn.k = 3 WHERE bi.k = 7) FROM bo WHERE id < 300');
SELECT * FROM zz_probe('SELECT a.id, bo.n IN (SELECT m FROM bi) FROM bo a LEFT JOIN bo ON bo.id = a.id + 2900');
SELECT * FROM zz_probe('SELECT a.id, bo.id FROM bo a LEFT JOIN bo ON bo.id = a.id + 2900 AND (bo.k = 3 OR bo.x IN (SELECT y FROM bi))');
-- what WHERE says of x holds in the target list
SELECT * FROM zz_probe('SELECT id, x NOT IN (SELECT m FROM bi) FROM bo WHERE x > 5');
-- CASE, windows, DISTINCT; grouping is left alone
SELECT * FROM zz_probe('SELECT id, CASE WHEN k < 9 THEN x IN (SELECT y FROM bi) ELSE n NOT IN (SELECT y FROM bn) END FROM bo');
SELECT * FROM zz_probe('SELECT DISTINCT k, n IN (SELECT m FROM bi), rank() OVER (PARTITION BY n IN (SELECT m FROM bi) ORDER BY id) FROM bo ORDER BY 1, 2, 3');
SELECT * FROM zz_probe('SELECT k, x IN (SELECT y FROM bi), count(*) FROM bo GROUP BY 1, 2');
SELECT * FROM zz_probe('SELECT k, max(x) IN (SELECT y FROM bi), bool_or(x IN (SELECT y FROM bi)) FROM bo GROUP BY 1');
-- no error that IN does not raise: the set may be empty, CASE skips
SELECT * FROM zz_probe('SELECT id, 6 / (k - 3) IN (SELECT y FROM bi WHERE m < 0) FROM bo');
SELECT * FROM zz_probe('SELECT id, CASE WHEN k > 99 THEN x IN (SELECT y FROM bi WHERE 6 / (l - l) > 0) END FROM bo');
-- volatile functions, CTEs, sets that are more than a join, nested subqueries
SELECT * FROM zz_probe('SELECT id, x IN (SELECT y FROM bi WHERE random() >= 0) FROM bo WHERE id < 9');
SELECT * FROM zz_probe('WITH w AS MATERIALIZED (SELECT y FROM bi) SELECT id, x IN (SELECT y FROM w) FROM bo WHERE id < 9');
SELECT * FROM zz_probe('SELECT id, (SELECT x) IN (SELECT y FROM bi) FROM bo WHERE id < 9');
SELECT * FROM zz_probe('SELECT id, x IN (SELECT max(y) FROM bi GROUP BY k) FROM bo');
SELECT * FROM zz_probe('SELECT id, x IN (SELECT y FROM bi ORDER BY y LIMIT 20) FROM bo');
RESET enable_seqscan;
RESET enable_bitmapscan;

-- A set that is a sample is drawn once.
SET zigzag.debug_force = on;
SELECT count(*) AS samples FROM zz_explain('SELECT id, x IN (SELECT y FROM bi TABLESAMPLE BERNOULLI (50)) FROM bo WHERE id < 9') l WHERE l LIKE '%Sample Scan%';
-- Rows that are changed or locked: the value is asked for again where another changed them.
SELECT zz_explain('UPDATE bo SET k = 0 WHERE id < 10 AND (k = 3 OR n IN (SELECT m FROM bi))');
BEGIN;
UPDATE bo SET k = -1 WHERE x NOT IN (SELECT y FROM bi) OR x IN (SELECT y FROM bi WHERE k = 4);
SELECT count(*), sum(id) FROM bo WHERE k = -1;
ROLLBACK;
BEGIN;
SET LOCAL zigzag.enable = off;
UPDATE bo SET k = -1 WHERE x NOT IN (SELECT y FROM bi) OR x IN (SELECT y FROM bi WHERE k = 4);
SELECT count(*), sum(id) FROM bo WHERE k = -1;
ROLLBACK;
-- A prepared plan learns of a NULL only by the constraint that forbids it.
PREPARE bp AS SELECT id, n IN (SELECT m FROM bi) AS v FROM bo WHERE id < 4;
EXECUTE bp;
ALTER TABLE bi ALTER m DROP NOT NULL;
BEGIN;
INSERT INTO bi (m) VALUES (NULL);
EXECUTE bp;
ROLLBACK;
-- Switched off.
RESET zigzag.debug_force;
RESET zigzag.enable_mark;
SET zigzag.enable_probe = off;
SELECT zz_explain('SELECT id, n IN (SELECT m FROM bi) FROM bo WHERE id < 10');
DROP TABLE bo, bi, bn;
