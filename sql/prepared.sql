-- Prepared transactions: what they have written is not there, then it is.
-- The server must allow them.
SELECT current_setting('max_prepared_transactions') = '0' AS not_allowed \gset
\if :not_allowed
\quit
\endif
CREATE TABLE pr (id int, a int, b int, s int);
INSERT INTO pr SELECT g, g % 5, g % 7, g % 199 FROM generate_series(1, 7000) g;
CREATE INDEX pr_a ON pr (a, s);
CREATE INDEX pr_b ON pr (b, s);
VACUUM ANALYZE pr;
SET zigzag.debug_force = on;
BEGIN;
INSERT INTO pr VALUES (-1, 1, 2, -1);
PREPARE TRANSACTION 'zz';
SELECT id FROM pr WHERE a = 1 AND b = 2 ORDER BY s LIMIT 1;
COMMIT PREPARED 'zz';
SELECT id FROM pr WHERE a = 1 AND b = 2 ORDER BY s LIMIT 1;
DELETE FROM pr WHERE a = 1 AND b = 2 AND s < 50;
BEGIN;
DELETE FROM pr WHERE a = 1 AND b = 2 AND s < 100;
PREPARE TRANSACTION 'zz';
SELECT id FROM pr WHERE a = 1 AND b = 2 ORDER BY s LIMIT 1;
ROLLBACK PREPARED 'zz';
SELECT * FROM zz_check('SELECT * FROM pr WHERE a = 1 AND b = 2 ORDER BY s');
