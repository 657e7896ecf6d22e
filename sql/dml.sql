-- Zigzag under UPDATE, DELETE, MERGE, INSERT ... SELECT, row locks, RETURNING.
CREATE TABLE job (id int PRIMARY KEY, queue int, state int, pri int, note text);
CREATE INDEX job_q ON job (queue);
CREATE INDEX job_s ON job (state);
CREATE INDEX job_qp ON job (queue, pri);
CREATE INDEX job_sp ON job (state, pri);
INSERT INTO job SELECT g, g % 4, g % 3, zz_hash(g, 1, 100), 'n' FROM generate_series(1, 1200) g;
ANALYZE job;
CREATE TABLE job2 AS SELECT * FROM job;
CREATE INDEX job2_q ON job2 (queue);
CREATE INDEX job2_s ON job2 (state);
ANALYZE job2;
SET zigzag.debug_force = on;
SELECT * FROM zz_explain('UPDATE job SET note = note || 1 WHERE queue = 1 AND state = 2');
UPDATE job SET note = note || 1 WHERE queue = 1 AND state = 2;
DELETE FROM job WHERE queue = 2 AND state = 0;
-- the columns walked are the columns changed: each row once
UPDATE job SET state = 2, pri = pri + 1 WHERE queue = 3 AND state = 1;
UPDATE job SET queue = queue + 1 WHERE queue = 3 AND state = 2 RETURNING queue, state \g (format=unaligned tuples_only) | sort | uniq -c
INSERT INTO job SELECT id + 10000, queue, state, pri, 'copy' FROM job WHERE queue = 1 AND state = 1;
MERGE INTO job j USING (SELECT * FROM job2 WHERE queue = 0 AND state = 0) s ON j.id = s.id
WHEN MATCHED THEN UPDATE SET note = 'merged' WHEN NOT MATCHED THEN INSERT VALUES (s.id, 0, 0, 0, 'new');
WITH gone AS (DELETE FROM job WHERE queue = 0 AND state = 1 RETURNING id, tableoid) SELECT count(*), sum(id) FROM gone;
SELECT count(*), sum(id), sum(pri), sum(state), sum(queue), count(DISTINCT note) FROM job;
-- the same without zigzag
SET zigzag.enable = off;
UPDATE job2 SET note = note || 1 WHERE queue = 1 AND state = 2;
CREATE TABLE job3 AS SELECT * FROM job2;
DELETE FROM job2 WHERE queue = 2 AND state = 0;
UPDATE job2 SET state = 2, pri = pri + 1 WHERE queue = 3 AND state = 1;
UPDATE job2 SET queue = queue + 1 WHERE queue = 3 AND state = 2;
INSERT INTO job2 SELECT id + 10000, queue, state, pri, 'copy' FROM job2 WHERE queue = 1 AND state = 1;
UPDATE job2 SET note = 'merged' WHERE queue = 0 AND state = 0;
DELETE FROM job2 WHERE queue = 0 AND state = 1;
SELECT count(*), sum(id), sum(pri), sum(state), sum(queue), count(DISTINCT note) FROM job2;
RESET zigzag.enable;
-- row locks
BEGIN;
SELECT * FROM zz_explain('SELECT id FROM job WHERE queue = 1 AND state = 2 ORDER BY pri LIMIT 3 FOR UPDATE SKIP LOCKED');
SELECT count(*) FROM (SELECT id FROM job WHERE queue = 1 AND state = 2 FOR UPDATE) s;
SELECT count(*) FROM (SELECT id FROM job WHERE queue = 1 AND state = 1 FOR SHARE) s;
ROLLBACK;
-- WHERE CURRENT OF needs its TID scan
BEGIN;
DECLARE c CURSOR FOR SELECT id FROM job WHERE queue = 1 AND state = 2 FOR UPDATE;
FETCH 2 FROM c \g /dev/null
UPDATE job SET note = 'current' WHERE CURRENT OF c;
ROLLBACK;
