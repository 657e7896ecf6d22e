-- AND of equalities on several indexes of one table.
CREATE TABLE ab (n int PRIMARY KEY, a int, b int, c text);
INSERT INTO ab SELECT n, n, n % 3, 'foo' FROM generate_series(1, 10) n;
CREATE INDEX ab_a ON ab (a);
CREATE INDEX ab_b ON ab (b);
ANALYZE ab;
SELECT * FROM zz_check('SELECT n, a, b FROM ab WHERE a = 4 AND b = 1');
SELECT * FROM zz_check('SELECT n, a, b FROM ab WHERE a = 5 AND b = 2');
SELECT * FROM zz_check('SELECT * FROM ab WHERE a = 4 AND b = 1');
SELECT * FROM zz_check('SELECT * FROM ab WHERE a = 4 AND b = 2');
SELECT * FROM zz_check($$SELECT * FROM ab WHERE a = 5 AND b = 2 AND c = 'foo'$$);
SELECT * FROM zz_check($$SELECT * FROM ab WHERE a = 5 AND b = 2 AND c = 'bar'$$);
SET zigzag.debug_force = on;
SELECT * FROM ab WHERE a = 4 AND b = 1;
SELECT n, c FROM ab WHERE 5 = a AND 2 = b AND c = 'foo';
RESET zigzag.debug_force;

-- indexes dropped and made anew, a column dropped
DROP INDEX ab_a, ab_b;
CREATE INDEX ab_c ON ab (c);
CREATE INDEX ab_a ON ab (a);
CREATE INDEX ab_b ON ab (b);
SELECT * FROM zz_check('SELECT * FROM ab WHERE a = 4 AND b = 1');
SELECT * FROM zz_check('SELECT * FROM ab WHERE b = 1 AND ((a < 1 AND a > 1) OR (a >= 2 AND a <= 2))');
ALTER TABLE ab DROP COLUMN c;
SELECT * FROM zz_check('SELECT * FROM ab WHERE a = 4 AND b = 1');
SELECT * FROM zz_check('SELECT ab FROM ab WHERE a = 4 AND b = 1');

-- nullable suffix: NULL matches NULL of the same row
CREATE TABLE nd (k int PRIMARY KEY, a int, b int, c int, d int NOT NULL);
INSERT INTO nd VALUES (1, 10, 20, NULL, 11), (2, 10, 20, NULL, 12);
CREATE INDEX nd_ac ON nd (a, c);
CREATE INDEX nd_bc ON nd (b, c);
SELECT * FROM zz_check('SELECT k FROM nd WHERE a = 10 AND b = 20');
CREATE INDEX nd_ad ON nd (a, d);
CREATE INDEX nd_bd ON nd (b, d);
SELECT * FROM zz_check('SELECT k FROM nd WHERE a = 10 AND b = 20');
SELECT * FROM zz_check('SELECT k, d FROM nd WHERE a = 10 AND b = 20 ORDER BY d');
SELECT * FROM zz_check('SELECT k, d FROM nd WHERE a = 10 AND b = 20 ORDER BY d DESC');
SELECT * FROM zz_check('SELECT k, c FROM nd WHERE a = 10 AND b = 20 ORDER BY c');

-- covered by INCLUDE columns of both indexes, or not
CREATE TABLE inc (a int, b int, c int, d int);
INSERT INTO inc VALUES (0, 1, 2, 3);
CREATE INDEX inc_a ON inc (a) INCLUDE (b);
CREATE INDEX inc_c ON inc (c) INCLUDE (d);
VACUUM ANALYZE inc;
SELECT * FROM zz_check('SELECT count(*) FROM inc WHERE a = 0 AND b = 1 AND c = 2');
SELECT * FROM zz_check('SELECT count(*) FROM inc WHERE a = 0 AND c = 2 AND d = 3');
SELECT * FROM zz_check('SELECT a, b, c, d FROM inc WHERE a = 0 AND b = 1 AND c = 2 AND d = 3');
SELECT * FROM zz_check('SELECT a, b, c, d FROM inc WHERE a = 0 AND b = 1 AND c = 2 AND d = 4');

-- an empty table
CREATE TABLE empty (a int, b int, c int, d int);
CREATE INDEX empty_c ON empty (c);
CREATE INDEX empty_d ON empty (d);
SELECT * FROM zz_check('SELECT d FROM empty WHERE c = 3 AND d = 4');
INSERT INTO empty SELECT 1, 1, 3, 4;
SELECT * FROM zz_check('SELECT d FROM empty WHERE c = 3 AND d = 4');
DELETE FROM empty;
SELECT * FROM zz_check('SELECT d FROM empty WHERE c = 3 AND d = 4');

-- suffixes in opposite directions: another plan, the same row
CREATE TABLE opp (c int, l int NOT NULL, r int NOT NULL);
INSERT INTO opp VALUES (1, 1, -1), (2, 1, -2);
CREATE INDEX opp_l ON opp (l, c DESC);
CREATE INDEX opp_r ON opp (r, c);
SELECT * FROM zz_check('SELECT * FROM opp WHERE l = 1 AND r = -1');

-- enough rows for many pages: uncorrelated, clumped, interleaved, disjoint
CREATE TABLE big (id bigint PRIMARY KEY, u10 int, v10 int, w1000 int, c5 int, d5 int,
                  even int, odd int, low int, pad text);
INSERT INTO big SELECT g, zz_hash(g, 1, 10), zz_hash(g, 2, 10), zz_hash(g, 3, 1000),
       zz_hash(g / 300, 4, 5), zz_hash(g / 170, 5, 5), g % 2, (g + 1) % 2, (g < 10000)::int, repeat('x', 20)
FROM generate_series(1, 20000) g;
CREATE INDEX big_u10 ON big (u10);
CREATE INDEX big_v10 ON big (v10) WITH (deduplicate_items = off);
CREATE INDEX big_w1000 ON big (w1000);
CREATE INDEX big_c5 ON big (c5) WITH (fillfactor = 20, deduplicate_items = off);
CREATE INDEX big_d5 ON big (d5);
CREATE INDEX big_even ON big (even);
CREATE INDEX big_odd ON big (odd);
CREATE INDEX big_low ON big (low);
VACUUM ANALYZE big;
SELECT * FROM zz_check('SELECT * FROM big WHERE u10 = 1 AND v10 = 2');
SELECT * FROM zz_check('SELECT id FROM big WHERE u10 = 1 AND w1000 = 2');
SELECT * FROM zz_check('SELECT count(*) FROM big WHERE u10 = 1 AND v10 = 2');
SELECT * FROM zz_check('SELECT id, c5, d5 FROM big WHERE c5 = 1 AND d5 = 2');
SELECT * FROM zz_check('SELECT c5, d5 FROM big WHERE c5 = 1 AND d5 = 2');
SELECT * FROM zz_check('SELECT count(*) FROM big WHERE even = 1 AND odd = 1');
SELECT * FROM zz_check('SELECT id FROM big WHERE even = 1 AND low = 0');
SELECT * FROM zz_check('SELECT id FROM big WHERE u10 = 99 AND v10 = 2');

-- three sides and more
SELECT * FROM zz_check('SELECT id FROM big WHERE u10 = 1 AND v10 = 2 AND even = 1');
SELECT * FROM zz_check('SELECT id FROM big WHERE u10 = 1 AND v10 = 2 AND c5 = 3 AND d5 = 4');
SELECT * FROM zz_check('SELECT id, pad FROM big WHERE u10 = 1 AND v10 = 2 AND c5 = 3 AND d5 = 4 AND even = 0 AND odd = 1 AND low = 1 AND w1000 = 77');
SELECT * FROM zz_check('SELECT id, u10, v10, c5, d5, even, odd, low FROM big WHERE u10 = 1 AND v10 = 2 AND c5 = 3 AND d5 = 4 AND even = 0 AND odd = 1 AND low = 1');
SET zigzag.max_sides = 2;
SELECT * FROM zz_check('SELECT id FROM big WHERE u10 = 1 AND v10 = 2 AND c5 = 3 AND even = 1');
RESET zigzag.max_sides;

-- dead rows, vacuumed and not
DELETE FROM big WHERE id % 7 = 0;
UPDATE big SET u10 = 3 WHERE id % 11 = 0;
UPDATE big SET pad = 'hot' WHERE id % 13 = 0;
SELECT * FROM zz_check('SELECT * FROM big WHERE u10 = 1 AND v10 = 2');
SELECT * FROM zz_check('SELECT * FROM big WHERE u10 = 3 AND v10 = 2');
SELECT * FROM zz_check('SELECT count(*) FROM big WHERE u10 = 3 AND v10 = 2');
VACUUM big;
SELECT * FROM zz_check('SELECT * FROM big WHERE u10 = 3 AND v10 = 2');
SELECT * FROM zz_check('SELECT count(*) FROM big WHERE u10 = 3 AND v10 = 2');

-- contradictions and the same column twice
SELECT nrows, diff FROM zz_check('SELECT * FROM big WHERE u10 = 1 AND v10 = 2 AND u10 = 2');
SELECT * FROM zz_check('SELECT * FROM big WHERE u10 = 1 AND v10 = 2 AND u10 = 1');
SELECT * FROM zz_check('SELECT * FROM big WHERE u10 = 1 AND v10 = 2 AND false');
SELECT * FROM zz_check('SELECT * FROM big WHERE u10 = NULL AND v10 = 2');
