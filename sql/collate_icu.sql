-- Nondeterministic collations; collate_icu_1.out is for servers without ICU.
SELECT NOT EXISTS (SELECT FROM pg_collation WHERE collname = 'und-x-icu') AS no_icu \gset
\if :no_icu
\quit
\endif
-- equal strings that are not the same
CREATE COLLATION zz_ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE words (id int, v text COLLATE zz_ci, w text COLLATE "C", k int);
INSERT INTO words SELECT g, (ARRAY['abc', 'ABC', 'Abc', 'x'])[1 + g % 4], (ARRAY['abc', 'ABC', 'Abc', 'x'])[1 + g % 4], g % 3
FROM generate_series(1, 1200) g;
CREATE INDEX words_v ON words (v);
CREATE INDEX words_k ON words (k);
CREATE INDEX words_wv ON words (w, v);
CREATE INDEX words_w ON words (w);
VACUUM ANALYZE words;
SELECT * FROM zz_check($$SELECT id, v FROM words WHERE v = 'aBC' AND k = 1$$);
SELECT * FROM zz_check($$SELECT v FROM words WHERE v = 'aBC' AND k = 1$$);
SELECT * FROM zz_check($$SELECT id, v FROM words WHERE w = 'ABC' AND k = 1$$);
SELECT * FROM zz_check($$SELECT id, v FROM words WHERE w = 'ABC' COLLATE zz_ci AND k = 1$$);
SELECT * FROM zz_check($$SELECT v FROM words WHERE v = 'abc' COLLATE "C" AND k = 1$$);
-- each row shows the string that it has, not the one that was asked for
SET zigzag.debug_force = on;
SELECT v, count(*) FROM words WHERE v = 'aBC' AND k = 1 GROUP BY v COLLATE "C", v ORDER BY v COLLATE "C";
