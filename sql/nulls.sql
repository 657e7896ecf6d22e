-- IS NULL as a bound column, NULLs in the suffix, = NULL.
CREATE TABLE n (id int, a int, b int, c int, d int, flag bool);
INSERT INTO n SELECT g, nullif(g % 4, 0), nullif(g % 5, 0), nullif(zz_hash(g, 1, 20), 0),
       nullif(zz_hash(g, 2, 9), 3), CASE g % 3 WHEN 0 THEN true WHEN 1 THEN false END
FROM generate_series(1, 3000) g;
CREATE INDEX n_a ON n (a);
CREATE INDEX n_b ON n (b NULLS FIRST);
CREATE INDEX n_d ON n (d DESC);
CREATE INDEX n_ac ON n (a, c);
CREATE INDEX n_bc ON n (b, c);
CREATE INDEX n_acd ON n (a DESC, c NULLS FIRST, d DESC);
CREATE INDEX n_bcd ON n (b, c NULLS FIRST, d DESC);
CREATE INDEX n_flag ON n (flag);
CREATE INDEX n_flagc ON n (flag, c);
VACUUM ANALYZE n;
SELECT * FROM zz_check('SELECT * FROM n WHERE a IS NULL AND b = 2');
SELECT * FROM zz_check('SELECT * FROM n WHERE a IS NULL AND b IS NULL');
SELECT * FROM zz_check('SELECT a, b FROM n WHERE a IS NULL AND b IS NULL');
SELECT * FROM zz_check('SELECT * FROM n WHERE a IS NULL AND b IS NULL AND d IS NULL');
SELECT * FROM zz_check('SELECT * FROM n WHERE a = 1 AND b = 2 AND d IS NULL');
SELECT * FROM zz_check('SELECT * FROM n WHERE a = NULL AND b = 2');
SELECT * FROM zz_check('SELECT * FROM n WHERE a = nullif(1, 1) AND b = 2');
SELECT * FROM zz_check('SELECT * FROM n WHERE a = (SELECT NULL::int) AND b = 2');
SELECT * FROM zz_check('SELECT a, b, c FROM n WHERE a = 1 AND b = 2');
SELECT * FROM zz_check('SELECT c FROM n WHERE a = 1 AND b = 2 ORDER BY c');
SELECT * FROM zz_check('SELECT c FROM n WHERE a = 1 AND b = 2 ORDER BY c DESC');
SELECT * FROM zz_check('SELECT c FROM n WHERE a IS NULL AND b = 2 ORDER BY c');
SELECT * FROM zz_check('SELECT c FROM n WHERE a IS NULL AND b IS NULL ORDER BY c DESC');
SELECT * FROM zz_check('SELECT c, d FROM n WHERE a = 1 AND b = 2 ORDER BY c NULLS FIRST, d DESC');
SELECT * FROM zz_check('SELECT c, d FROM n WHERE a = 1 AND b = 2 ORDER BY c DESC NULLS LAST, d');
SELECT * FROM zz_check('SELECT c, d FROM n WHERE a = 1 AND b = 2 ORDER BY c NULLS FIRST, d DESC LIMIT 7');
SELECT * FROM zz_check('SELECT * FROM n WHERE flag AND a = 1');
SELECT * FROM zz_check('SELECT * FROM n WHERE NOT flag AND a = 1');
SELECT * FROM zz_check('SELECT * FROM n WHERE flag IS TRUE AND a = 1');
SELECT * FROM zz_check('SELECT * FROM n WHERE flag IS FALSE AND a IS NULL');
SELECT * FROM zz_check('SELECT * FROM n WHERE flag IS NULL AND a = 1');
SELECT * FROM zz_check('SELECT * FROM n WHERE flag = true AND a = 1');
SELECT * FROM zz_check('SELECT * FROM n WHERE flag IS UNKNOWN AND a = 1 AND b = 1');
SELECT * FROM zz_check('SELECT * FROM n WHERE flag IS NOT TRUE AND a = 1 AND b = 1');
SELECT * FROM zz_check('SELECT c FROM n WHERE flag AND b = 1 ORDER BY c LIMIT 9');
-- two NULLs that are not the same row do not meet
CREATE TABLE two (id int, a int, b int, c int);
INSERT INTO two VALUES (1, 1, 0, NULL), (2, 0, 2, NULL), (3, 1, 2, NULL), (4, 1, 2, NULL), (5, 1, 2, 5);
CREATE INDEX two_ac ON two (a, c);
CREATE INDEX two_bc ON two (b, c);
SELECT * FROM zz_check('SELECT id FROM two WHERE a = 1 AND b = 2');
SET zigzag.debug_force = on;
SELECT id, c FROM two WHERE a = 1 AND b = 2 ORDER BY c;
