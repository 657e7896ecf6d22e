-- What newer servers have and older ones lack.  Where a server lacks it, another
-- way to the same answer stands in, so that all servers print the same.

-- Run one of two commands: the first from server version on, else the other.
CREATE FUNCTION zz_since(version int, newer text, older text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE CASE WHEN current_setting('server_version_num')::int / 10000 >= version
               THEN newer ELSE older END;
END $$;

CREATE TABLE sv (id int PRIMARY KEY, c int, d int, x int);
INSERT INTO sv SELECT g, zz_hash(g, 1, 7), zz_hash(g, 2, 5), zz_hash(g, 3, 4)
FROM generate_series(1, 2000) g;
CREATE INDEX sv_c ON sv (c);
CREATE INDEX sv_d1 ON sv ((d + 1));
CREATE TABLE sw (y int);
INSERT INTO sw VALUES (6), (3), (3), (1);

-- 16: JSON is made by nodes of their own, which may fail where they are not asked for.
CREATE TABLE sj (id int, j jsonb, has bool);
INSERT INTO sj SELECT g, CASE WHEN g % 3 = 0 THEN '{}' ELSE jsonb_build_object('a', g % 7) END, g % 3 <> 0 FROM generate_series(1, 50) g;
SELECT zz_since(16, $$CREATE VIEW sjc AS SELECT id FROM sj WHERE has OR
                        JSON_OBJECT('a': id, CASE WHEN has THEN 'a' ELSE 'b' END: id WITH UNIQUE KEYS RETURNING jsonb) IN (SELECT j FROM sj)$$,
                    $$CREATE VIEW sjc AS SELECT id FROM sj WHERE has$$);
SELECT nrows, diff FROM zz_check('SELECT * FROM sjc');

-- 18: virtual generated columns.  The planner puts their expressions in place of
-- them, which an index may store, and which may fail where they are not asked for.
SELECT zz_since(18, 'ALTER TABLE sv ADD COLUMN d1 int GENERATED ALWAYS AS (d + 1) VIRTUAL,
                                    ADD COLUMN v int GENERATED ALWAYS AS (6 / x) VIRTUAL',
                    'ALTER TABLE sv ADD COLUMN d1 int GENERATED ALWAYS AS (d + 1) STORED,
                                    ADD COLUMN v int GENERATED ALWAYS AS (CASE WHEN x <> 0 THEN 6 / x END) STORED');
SELECT zz_since(18, 'SELECT', 'CREATE INDEX sv_d1s ON sv (d1)');
ANALYZE sv, sw;
SELECT * FROM zz_check('SELECT id, d1 FROM sv WHERE c = 3 AND d1 = 2');
SELECT * FROM zz_check('SELECT id FROM sv WHERE c = 3 AND d1 = 2 AND id > 1000 ORDER BY id');
SELECT nrows, diff FROM zz_check('SELECT id, CASE WHEN x <> 0 THEN v IN (SELECT y FROM sw) END FROM sv');
SELECT nrows, diff FROM zz_check('SELECT id FROM sv WHERE x = 0 OR v IN (SELECT y FROM sw)');
SELECT nrows, diff FROM zz_check('SELECT id, d1 IN (SELECT y FROM sw) FROM sv');
SELECT nrows, diff FROM zz_check('SELECT id FROM sv WHERE d1 NOT IN (SELECT y FROM sw)');
SELECT nrows, diff FROM zz_check('SELECT id FROM sv WHERE x <> 0 AND NOT EXISTS (SELECT FROM sw WHERE y = d1 AND c > 2)');
SELECT nrows, diff FROM zz_check('SELECT a.id, b.d1 FROM sv a LEFT JOIN sv b ON b.id = a.id AND b.c = 3 AND b.d1 = 2
                                  WHERE b.d1 IS NULL OR b.d1 NOT IN (SELECT y FROM sw)');

-- 18: a NOT NULL constraint that is not valid proves nothing.
CREATE TABLE sn (y int);
INSERT INTO sn VALUES (1), (NULL);
SELECT zz_since(18, 'ALTER TABLE sn ADD CONSTRAINT sn_y NOT NULL y NOT VALID', 'SELECT');
SELECT nrows, diff FROM zz_check('SELECT id FROM sv WHERE id NOT IN (SELECT y FROM sn)');
SELECT nrows, diff FROM zz_check('SELECT id, id NOT IN (SELECT y FROM sn) FROM sv');
UPDATE sn SET y = 2 WHERE y IS NULL;
SELECT zz_since(18, 'ALTER TABLE sn VALIDATE CONSTRAINT sn_y', 'ALTER TABLE sn ALTER y SET NOT NULL');
SELECT nrows, diff FROM zz_check('SELECT id FROM sv WHERE id NOT IN (SELECT y FROM sn)');

-- 16: the planner knows the indexes of a partitioned table.
CREATE TABLE sp (y int) PARTITION BY LIST (y);
CREATE INDEX ON sp (y);
SELECT nrows, diff FROM zz_check('SELECT id FROM sv WHERE c NOT IN (SELECT y FROM sp)');
CREATE TABLE sp_1 PARTITION OF sp FOR VALUES IN (NULL, 1, 2, 3);
INSERT INTO sp VALUES (1), (3);
SELECT nrows, diff FROM zz_check('SELECT id FROM sv WHERE c NOT IN (SELECT y FROM sp)');
SELECT nrows, diff FROM zz_check('SELECT id FROM sv WHERE id < 9 AND x IN (SELECT y FROM sp) IS NOT FALSE');

-- 19: a hash join of which too little is known to tell that it fits in memory.
CREATE TABLE st AS SELECT g AS y FROM generate_series(1, 20000) g;
ANALYZE st;
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT * FROM zz_explain('SELECT id FROM sv WHERE d + 1 NOT IN (SELECT nullif(y, 0) FROM st)') l WHERE l ~ 'Custom|Hash';
SELECT * FROM zz_explain('SELECT id, d + 1 IN (SELECT y + 1 FROM st) FROM sv') l WHERE l ~ 'Custom|Join';
RESET work_mem;
RESET hash_mem_multiplier;

-- 18: grouping expressions have an entry of their own in the range table.
SELECT nrows, diff FROM zz_check('SELECT x IN (SELECT y FROM sw) AS hit, count(*), sum(d) FROM sv GROUP BY 1 HAVING count(*) > 1');
SELECT nrows, diff FROM zz_check('SELECT NOT (x IN (SELECT y FROM sw)), x, count(*) FILTER (WHERE c IN (SELECT y FROM sw))
                                  FROM sv GROUP BY x, x IN (SELECT y FROM sw)');
SELECT nrows, diff FROM zz_check('SELECT x IN (SELECT y FROM sw) AS hit, d, count(*) FROM sv GROUP BY ROLLUP (1, 2)');
SELECT nrows, diff FROM zz_check('SELECT g.x IN (SELECT y FROM sw), g.n FROM (SELECT x, count(*) AS n FROM sv GROUP BY x) g');
SELECT nrows, diff FROM zz_check('SELECT id FROM sv WHERE c NOT IN (SELECT y FROM sw GROUP BY y)');
SELECT nrows, diff FROM zz_check('SELECT id FROM sv WHERE c NOT IN (SELECT y + 1 FROM sw GROUP BY y + 1 HAVING y + 1 > 2)');
SELECT nrows, diff FROM zz_check('SELECT id FROM sv WHERE (c, d) NOT IN (SELECT y, count(*) FROM sw GROUP BY y)');
SELECT nrows, diff FROM zz_check('SELECT id FROM sv WHERE c NOT IN (SELECT id FROM sv WHERE id < 3 GROUP BY id)');

-- 18: a join of a table with itself on its key is one scan; semi joins run with
-- either side hashed.
SELECT nrows, diff FROM zz_check('SELECT a.id FROM sv a JOIN sv b USING (id) WHERE a.c = 3 AND b.d + 1 = 2');
SELECT nrows, diff FROM zz_check('SELECT a.id FROM sv a JOIN sv b USING (id) WHERE a.c NOT IN (SELECT y FROM sw) AND b.x IN (SELECT y FROM sw)');
SELECT nrows, diff FROM zz_check('SELECT y FROM sw WHERE y IN (SELECT x FROM sv WHERE c = 3 AND d + 1 = 2)');
SELECT nrows, diff FROM zz_check('SELECT y FROM sw WHERE NOT EXISTS (SELECT FROM sv WHERE c = 3 AND d + 1 = 2 AND x = y)');

-- 17: MERGE returns rows, and acts on rows that the source lacks.
CREATE TABLE sm (id int PRIMARY KEY, n int);
CREATE FUNCTION sv_merge(how text) RETURNS TABLE (rows bigint, ids bigint, total bigint)
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('zigzag.enable', CASE how WHEN 'off' THEN 'off' ELSE 'on' END, true),
          set_config('zigzag.debug_force', CASE how WHEN 'off' THEN 'off' ELSE 'on' END, true);
  TRUNCATE sm;
  INSERT INTO sm SELECT g, 0 FROM generate_series(1, 100) g;
  PERFORM zz_since(17,
    'WITH m AS (MERGE INTO sm USING (SELECT id, x IN (SELECT y FROM sw) AS hit FROM sv
                                     WHERE c = 3 AND d + 1 = 2 AND x NOT IN (SELECT y FROM sn WHERE y > 1)) s
                ON sm.id = s.id
                WHEN MATCHED AND s.hit THEN UPDATE SET n = 1
                WHEN MATCHED THEN UPDATE SET n = 2
                WHEN NOT MATCHED THEN INSERT VALUES (s.id, 3)
                WHEN NOT MATCHED BY SOURCE AND sm.id < 50 THEN DELETE
                RETURNING merge_action(), sm.*)
     SELECT count(*) FROM m',
    'MERGE INTO sm USING (SELECT coalesce(s.id, t.id) AS id, s.id IS NULL AS gone, hit
                          FROM (SELECT id, x IN (SELECT y FROM sw) AS hit FROM sv
                                WHERE c = 3 AND d + 1 = 2 AND x NOT IN (SELECT y FROM sn WHERE y > 1)) s
                               FULL JOIN sm t ON t.id = s.id) s
     ON sm.id = s.id
     WHEN MATCHED AND s.gone AND sm.id < 50 THEN DELETE
     WHEN MATCHED AND s.gone THEN DO NOTHING
     WHEN MATCHED AND s.hit THEN UPDATE SET n = 1
     WHEN MATCHED THEN UPDATE SET n = 2
     WHEN NOT MATCHED THEN INSERT VALUES (s.id, 3)');
  RETURN QUERY SELECT count(*), sum(sm.id), sum(sm.n) FROM sm;
END $$;
SELECT (SELECT m FROM sv_merge('off') m) = (SELECT m FROM sv_merge('forced') m) AS same, rows > 0 AS some
FROM sv_merge('forced');
