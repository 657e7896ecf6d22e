-- An OR with a subquery, planned arm by arm: same rows as with zigzag off.

CREATE TABLE ow (id int PRIMARY KEY, k int, t text, pad text);
CREATE TABLE om (id int, person int, k int);
INSERT INTO ow SELECT i, CASE WHEN zz_hash(i, 1, 20) > 0 THEN zz_hash(i, 2, 400) END,
  't' || zz_hash(i, 3, 50), repeat('p', 100) FROM generate_series(1, 20000) i;
INSERT INTO om SELECT CASE WHEN zz_hash(i, 4, 30) > 0 THEN zz_hash(i, 5, 21000) END,
  zz_hash(i, 6, 300), zz_hash(i, 7, 500) FROM generate_series(1, 10000) i;
CREATE INDEX ow_k ON ow (k, id);
CREATE INDEX om_person ON om (person);
CREATE INDEX om_id ON om (id);
VACUUM ANALYZE ow, om;

-- By its cost.
SELECT zz_explain('SELECT count(*) FROM ow WHERE k = 7 OR EXISTS (SELECT FROM om WHERE om.id = ow.id AND person = 3)');
SELECT zz_explain('SELECT * FROM ow WHERE k = 7 OR id IN (SELECT id FROM om WHERE person = 3) ORDER BY id LIMIT 5');
-- The arms in order; what stands outside of the OR is a mark join over them.
SET work_mem = '64kB';
SELECT zz_explain('SELECT id, k NOT IN (SELECT k FROM om) FROM ow WHERE k = 7 OR id IN (SELECT id FROM om WHERE person = 3) OR id IN (SELECT k FROM om WHERE person = 4)');
RESET work_mem;
-- Where one reading of everything is cheaper, that is done.
SELECT zz_explain('SELECT count(*) FROM ow WHERE pad = ''q'' OR id IN (SELECT id FROM om)');

-- zz_or: is the forced plan one of arms?
CREATE FUNCTION zz_or(query text, OUT arms bool, OUT nrows bigint, OUT diff bigint)
LANGUAGE sql AS $$
  SELECT plan LIKE '%IS NOT TRUE%' OR plan LIKE '%Append%', c.nrows, c.diff FROM zz_compare(query, query ~* 'order by') c
$$;
SET zigzag.enable_mark = off;
SELECT * FROM zz_or('SELECT id FROM ow WHERE k = 7 OR id IN (SELECT id FROM om WHERE person = 3)');
SELECT * FROM zz_or('SELECT id FROM ow WHERE id IN (SELECT id FROM om WHERE person = 3) OR k = 7');
SELECT * FROM zz_or('SELECT id FROM ow WHERE k = 7 OR id IN (SELECT k FROM om)');
SELECT * FROM zz_or('SELECT * FROM ow WHERE k = 7 OR EXISTS (SELECT FROM om WHERE om.id = ow.id AND om.k > ow.k)');
SELECT * FROM zz_or('SELECT * FROM ow WHERE k IS NULL OR NOT EXISTS (SELECT FROM om WHERE om.id = ow.id)');
SELECT * FROM zz_or('SELECT * FROM ow WHERE k > 390 AND (k = 7 OR k = 391 OR id IN (SELECT id FROM om))');
SELECT * FROM zz_or('SELECT * FROM ow WHERE k = 7 OR (k = 8 AND id IN (SELECT id FROM om))');
-- No error that the OR does not raise: an arm before skips what fails, and so does
-- a condition beside it.
SELECT * FROM zz_or('SELECT id FROM ow WHERE k < 9 OR 9 / (k - 3) IN (SELECT id FROM om)');
SELECT * FROM zz_or('SELECT id FROM ow WHERE k = 3 OR EXISTS (SELECT FROM om WHERE om.id = 9 / (ow.k - 3))');
SELECT * FROM zz_or('SELECT id FROM ow WHERE k = 3 OR (9 / (k - 3) = 1 AND id IN (SELECT id FROM om))');
SELECT * FROM zz_or('SELECT id FROM ow WHERE k IN (SELECT 3 FROM om) OR 9 / (k - 3) = 1');
SELECT * FROM zz_or('SELECT id FROM ow WHERE pg_catalog.hashint4(k) <> hashint4(3) AND (9 / (k - 3) = 1 OR id IN (SELECT id FROM om))');
SELECT * FROM zz_or('SELECT a.id FROM ow a JOIN om b USING (id) WHERE (9 / (a.k - 3) = 1 OR b.k IN (SELECT id FROM om)) AND a.k + b.k < 100 AND a.k <> 3');
SELECT * FROM zz_or('SELECT id FROM ow WHERE k <> 3 AND (k = 3 OR 9 / (k - 3) = 1 OR id IN (SELECT id FROM om))');
-- Several subqueries; NULL on either side of the OR and in the sets.
SELECT * FROM zz_or('SELECT id FROM ow WHERE id IN (SELECT id FROM om WHERE person < 20) OR k IN (SELECT k FROM om WHERE person = 3)');
SELECT * FROM zz_or('SELECT id FROM ow WHERE k IN (SELECT id FROM om) OR id IN (SELECT id FROM om WHERE person = 3) OR k < 3');
SELECT * FROM zz_or('SELECT id FROM ow WHERE EXISTS (SELECT FROM om WHERE om.id = ow.id) OR EXISTS (SELECT FROM om WHERE om.k = ow.k) OR NOT EXISTS (SELECT FROM om WHERE om.person = ow.k)');
SELECT * FROM zz_or('SELECT id FROM ow WHERE nullif(k, 3) < 5 OR k IN (SELECT id FROM om) OR k NOT IN (SELECT k FROM om WHERE person = 5)');
SELECT * FROM zz_or('SELECT id FROM ow WHERE k = 7 OR (k, id) IN (SELECT k, id FROM om)');
SELECT * FROM zz_or('SELECT id FROM ow WHERE k = 7 OR id IN (SELECT id FROM om WHERE false)');
SELECT * FROM zz_or('SELECT id FROM ow WHERE (k = 7 OR id IN (SELECT id FROM om)) AND (k = 9 OR id IN (SELECT k FROM om))');
-- What follows WHERE stays above: grouping, windows, order, limit, set-returning functions.
SELECT * FROM zz_or('SELECT t, count(*), max(k) FROM ow WHERE k < 7 OR id IN (SELECT id FROM om) GROUP BY t HAVING max(k) > 390');
SELECT * FROM zz_or('SELECT t, k, grouping(k), count(DISTINCT id) FROM ow WHERE k < 7 OR id IN (SELECT id FROM om WHERE person < 9) GROUP BY ROLLUP (t, k)');
SELECT * FROM zz_or('SELECT DISTINCT ON (t) t, id FROM ow WHERE k < 7 OR id IN (SELECT id FROM om) ORDER BY t, id DESC');
SELECT * FROM zz_or('SELECT id, rank() OVER (PARTITION BY t ORDER BY id) FROM ow WHERE k < 7 OR id IN (SELECT id FROM om WHERE person < 9)');
SELECT * FROM zz_or('SELECT id, generate_series(1, k % 3) FROM ow WHERE k < 7 OR id IN (SELECT id FROM om WHERE person < 9)');
SELECT * FROM zz_or('SELECT id, t FROM ow WHERE k < 7 OR id IN (SELECT id FROM om) ORDER BY id DESC OFFSET 7 LIMIT 90');
SELECT * FROM zz_or('SELECT id, (SELECT count(*) FROM om WHERE om.id = ow.id AND om.k > ow.k) FROM ow WHERE k < 7 OR id IN (SELECT id FROM om WHERE person < 9)');
SELECT * FROM zz_or('SELECT id, ctid, tableoid::regclass FROM ow WHERE k < 7 OR id IN (SELECT id FROM om WHERE person < 9)');
-- Joins, outer ones too; views; set operations; other levels of the query.
SELECT * FROM zz_or('SELECT a.id, b.k FROM ow a JOIN om b ON a.id = b.id WHERE a.k < 7 OR b.k IN (SELECT k FROM om WHERE person = 3)');
SELECT * FROM zz_or('SELECT a.id, b.k FROM ow a LEFT JOIN om b ON a.id = b.id WHERE b.id IS NULL OR b.k IN (SELECT k FROM om WHERE person = 3)');
SELECT * FROM zz_or('SELECT x.id, x.t, b.k FROM (ow a JOIN ow c USING (id, t)) x LEFT JOIN om b USING (id) WHERE b.k = 3 OR x.id IN (SELECT k FROM om)');
CREATE VIEW ov AS SELECT id, k, t FROM ow WHERE k < 100 OR id IN (SELECT id FROM om);
SELECT * FROM zz_or('SELECT * FROM ov WHERE k > 90 AND (k = 95 OR id IN (SELECT id FROM om WHERE person < 9))');
SELECT * FROM zz_or('SELECT id FROM ow WHERE k = 7 OR id IN (SELECT id FROM om WHERE person = 3) UNION SELECT id FROM om WHERE person = 3 OR EXISTS (SELECT FROM ow WHERE ow.id = om.k AND ow.k = 4)');
SELECT * FROM zz_or('SELECT p, (SELECT count(*) FROM ow WHERE k = p OR id IN (SELECT id FROM om WHERE person = p)) FROM generate_series(1, 9) p');
SELECT * FROM zz_or('SELECT p, l.* FROM generate_series(1, 9) p, LATERAL (SELECT id, k + p FROM ow WHERE k = p OR EXISTS (SELECT FROM om WHERE om.id = ow.id AND person = p)) l');
SELECT * FROM zz_or('SELECT id FROM om WHERE person = 3 AND id IN (SELECT ow.id FROM ow WHERE k < om.k OR ow.id IN (SELECT x.id FROM om x WHERE x.person = om.person))');
-- A parent of partitions; an outer reference from deep within.
CREATE TABLE op (id int, k int) PARTITION BY RANGE (id);
CREATE TABLE op1 PARTITION OF op FOR VALUES FROM (0) TO (500);
CREATE TABLE op2 PARTITION OF op FOR VALUES FROM (500) TO (1001);
INSERT INTO op SELECT i, i % 40 FROM generate_series(1, 1000) i;
ANALYZE op;
SELECT * FROM zz_or('SELECT * FROM op WHERE k = 7 OR id IN (SELECT id FROM om)');
SELECT * FROM zz_or('SELECT * FROM op WHERE k = 7 OR EXISTS (SELECT FROM om WHERE om.id = op.id AND EXISTS (SELECT FROM ow WHERE ow.k = om.k AND ow.id > op.id))');

-- Left alone: what would be read twice, or locked; whole rows; what may fail.
SELECT * FROM zz_or('WITH w AS (SELECT id FROM om) SELECT id FROM ow WHERE k = 7 OR id IN (SELECT id FROM w)');
SELECT * FROM zz_or('SELECT id FROM ow WHERE k = 7 OR id IN (SELECT id FROM om WHERE person < random() * 0)');
SELECT * FROM zz_or('SELECT id FROM (SELECT id, k, random() FROM ow) x WHERE k = 7 OR id IN (SELECT id FROM om)');
SELECT * FROM zz_or('SELECT id FROM ow TABLESAMPLE BERNOULLI (100) WHERE k = 7 OR id IN (SELECT id FROM om)');
SELECT * FROM zz_or('SELECT ow FROM ow WHERE k = 7 OR id IN (SELECT id FROM om)');
SELECT * FROM zz_or('SELECT id FROM ow WHERE k = 0 OR 1 / k IN (SELECT id FROM om)');
SET zigzag.debug_force = on;
SELECT count(*) > 0 AS arms FROM zz_explain('SELECT id FROM ow WHERE k = 7 OR id IN (SELECT id FROM om) FOR UPDATE') l WHERE l LIKE '%Append%';
SET zigzag.enable_or = off;
SELECT count(*) > 0 AS arms FROM zz_explain('SELECT id FROM ow WHERE k = 7 OR id IN (SELECT id FROM om)') l WHERE l LIKE '%Append%';
RESET zigzag.enable_or;
-- A set that is a sample is drawn once: no row comes by two arms.
SELECT count(*) - count(DISTINCT id) AS twice FROM (SELECT id FROM ow
  WHERE id IN (SELECT id FROM om TABLESAMPLE BERNOULLI (50)) OR EXISTS (SELECT FROM om WHERE om.k = ow.k)) q;
SELECT count(*) - count(DISTINCT id) AS twice FROM (SELECT id FROM ow
  WHERE id IN (SELECT id FROM (SELECT * FROM om TABLESAMPLE BERNOULLI (50)) s) OR EXISTS (SELECT FROM om WHERE om.k = ow.k)) q;

-- What is the same for all rows is not evaluated where there is no row.
CREATE TABLE o_none (n int);
INSERT INTO o_none VALUES (0), (1);
SELECT * FROM zz_or('SELECT id FROM ow WHERE t = ''none'' AND (k = 10 / (SELECT min(n) FROM o_none) OR id IN (SELECT id FROM om))');
SELECT * FROM zz_or('SELECT id FROM ow WHERE t = ''none'' AND (k = (SELECT n FROM o_none) OR id IN (SELECT id FROM om))');
SELECT * FROM zz_or('SELECT id FROM ow WHERE t = ''none'' AND (10 / (SELECT min(n) FROM o_none) = 2 OR id IN (SELECT id FROM om))');
SELECT * FROM zz_or('SELECT id FROM ow WHERE t = ''none'' AND (k = 7 OR 10 / (SELECT min(n) FROM o_none) IN (SELECT id FROM om))');
SELECT * FROM zz_or('SELECT id FROM ow WHERE t = ''none'' AND (k = 7 OR (id, 10 / (SELECT min(n) FROM o_none)) IN (SELECT id, k FROM om))');
SELECT * FROM zz_or('SELECT id FROM ow WHERE t = ''t7'' AND (10 / id = 2 OR id IN (SELECT id FROM om))');
DROP TABLE o_none;

-- Permissions are checked as they were.
CREATE ROLE zz_or_reader;
GRANT SELECT (id, k) ON ow TO zz_or_reader;
GRANT SELECT (id) ON om TO zz_or_reader;
SET ROLE zz_or_reader;
SELECT count(*) FROM ow WHERE k = 7 OR id IN (SELECT id FROM om WHERE id < 100);
SELECT count(*) FROM ow WHERE t = 't7' OR id IN (SELECT id FROM om WHERE id < 100);
SELECT count(*) FROM ow WHERE k = 7 OR id IN (SELECT id FROM om WHERE person = 3);
RESET ROLE;
CREATE POLICY p ON ow USING (k < 200 OR id IN (SELECT id FROM om WHERE id < 100));
ALTER TABLE ow ENABLE ROW LEVEL SECURITY;
SET ROLE zz_or_reader;
SELECT * FROM zz_or('SELECT id, k FROM ow WHERE k > 150 OR id IN (SELECT id FROM om WHERE id < 50)');
RESET ROLE;
DROP TABLE ow, om, op CASCADE;
DROP ROLE zz_or_reader;

-- Prepared, with a plan for all parameters; a function.
CREATE TABLE ow AS SELECT i AS id, i % 40 AS k FROM generate_series(1, 1000) i;
CREATE TABLE om AS SELECT i * 3 AS id, i % 5 AS person FROM generate_series(1, 300) i;
SET plan_cache_mode = force_generic_plan;
PREPARE oq(int, int) AS SELECT count(*) FROM ow WHERE k = $1 OR id IN (SELECT id FROM om WHERE person = $2);
EXECUTE oq(3, 2);
EXECUTE oq(NULL, 2);
EXECUTE oq(3, NULL);
EXPLAIN (COSTS OFF) EXECUTE oq(1, 1);
SET zigzag.enable = off;
DEALLOCATE oq;
PREPARE oq(int, int) AS SELECT count(*) FROM ow WHERE k = $1 OR id IN (SELECT id FROM om WHERE person = $2);
EXECUTE oq(3, 2);
EXECUTE oq(NULL, 2);
EXECUTE oq(3, NULL);
DEALLOCATE oq;
RESET plan_cache_mode;
RESET zigzag.enable;
RESET zigzag.enable_mark;
RESET zigzag.debug_force;
DROP TABLE ow, om;
DROP FUNCTION zz_or;
