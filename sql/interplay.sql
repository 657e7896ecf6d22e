-- Zigzag below, beside and within other parts of a query.
CREATE TABLE ip (id int, a int, b int, s int, t text);
INSERT INTO ip SELECT g, g % 5, g % 7, g % 199, 't' || g % 9 FROM generate_series(1, 7000) g;
CREATE INDEX ip_a ON ip (a, s);
CREATE INDEX ip_b ON ip (b, s);
CREATE INDEX ip_a0 ON ip (a) INCLUDE (id);
CREATE INDEX ip_b0 ON ip (b);
VACUUM ANALYZE ip;
-- what uses the order of its input
SELECT * FROM zz_check('SELECT s, count(*), sum(id) FROM ip WHERE a = 1 AND b = 2 GROUP BY s ORDER BY s');
SELECT * FROM zz_check('SELECT DISTINCT s FROM ip WHERE a = 1 AND b = 2 ORDER BY s DESC');
SELECT * FROM zz_check('SELECT DISTINCT ON (s) s, id FROM ip WHERE a = 1 AND b = 2 ORDER BY s, id');
SELECT * FROM zz_check('SELECT s, id, row_number() OVER (PARTITION BY s ORDER BY id) FROM ip WHERE a = 1 AND b = 2');
SELECT * FROM zz_check('SELECT s, sum(s) OVER (ORDER BY s ROWS BETWEEN 3 PRECEDING AND CURRENT ROW) FROM ip WHERE a = 1 AND b = 2 ORDER BY s');
SELECT * FROM zz_check('SELECT min(s), max(s) FROM ip WHERE a = 1 AND b = 2');
SELECT * FROM zz_check('SELECT s, id FROM ip WHERE a = 1 AND b = 2 ORDER BY s, id');
SELECT * FROM zz_check('SELECT s FROM ip WHERE a = 1 AND b = 2 ORDER BY s OFFSET 30 FETCH FIRST 5 ROWS WITH TIES');
SET enable_hashjoin = off;
SET enable_nestloop = off;
SELECT * FROM zz_check('SELECT x.id, y.id FROM ip x JOIN ip y USING (s) WHERE x.a = 1 AND x.b = 2 AND y.a = 2 AND y.b = 3');
SELECT * FROM zz_check('SELECT x.id, y.id FROM (SELECT * FROM ip WHERE a = 1 AND b = 2) x FULL JOIN (SELECT * FROM ip WHERE a = 2 AND b = 3) y USING (s)');
RESET enable_nestloop;
SET enable_mergejoin = off;
SELECT * FROM zz_check('SELECT x.id, y.id FROM ip x LEFT JOIN ip y ON x.s = y.s AND y.a = 2 AND y.b = 3 WHERE x.a = 1 AND x.b = 2');
RESET enable_hashjoin;
SELECT * FROM zz_check('SELECT x.id FROM ip x WHERE x.a = 1 AND x.b = 2 AND NOT EXISTS (SELECT FROM ip y WHERE y.a = 2 AND y.b = 3 AND y.s = x.s AND y.id < 4000)');
RESET enable_mergejoin;
SELECT * FROM zz_check('SELECT id FROM ip WHERE a = 1 AND b = 2 UNION ALL SELECT id FROM ip WHERE a = 2 AND b = 3');
SELECT * FROM zz_check('SELECT s FROM (SELECT s FROM ip WHERE a = 1 AND b = 2 UNION ALL SELECT s FROM ip WHERE a = 2 AND b = 3) u ORDER BY s LIMIT 20');
SELECT * FROM zz_check('SELECT id FROM ip WHERE a = 1 AND b = 2 EXCEPT SELECT id FROM ip WHERE a = 1 AND b = 2 AND s > 50');
SELECT * FROM zz_check('WITH c AS MATERIALIZED (SELECT id, s FROM ip WHERE a = 1 AND b = 2) SELECT x.id, y.id FROM c x, c y WHERE x.s = y.s AND x.id < y.id');
SELECT * FROM zz_check('WITH RECURSIVE r(i, n) AS (SELECT 0, 0 UNION ALL SELECT i + 1, q.n FROM r, LATERAL (SELECT count(*)::int AS n FROM ip WHERE a = i AND b = 2) q WHERE i < 6) SELECT * FROM r');
SELECT * FROM zz_check('SELECT id, generate_series(1, 2) FROM ip WHERE a = 1 AND b = 2');
SELECT * FROM zz_check('SELECT (SELECT array_agg(id) FROM (SELECT id FROM ip WHERE a = v AND b = w ORDER BY s LIMIT 2) q) IS NULL FROM generate_series(0, 6) v, generate_series(5, 7) w');
-- many rescans in one plan, with and without a change of value
SELECT * FROM zz_check('SELECT v, count(*) FROM generate_series(0, 300) v, LATERAL (SELECT id FROM ip WHERE a = v % 6 AND b = 2 OFFSET 0) q GROUP BY v');
SELECT * FROM zz_check('SELECT v, s FROM generate_series(1, 20) v LEFT JOIN LATERAL (SELECT s FROM ip WHERE a = v AND b = 2 ORDER BY s DESC LIMIT 1) q ON true');
SELECT * FROM zz_check('SELECT v FROM generate_series(1, 20) v WHERE EXISTS (SELECT FROM ip WHERE a = 1 AND b = 2 AND s = v OFFSET 0)');
-- extended statistics, whole-row and system columns beside others
CREATE STATISTICS ip_stats (dependencies) ON a, b FROM ip;
ANALYZE ip;
SELECT * FROM zz_check('SELECT ip.*, ip, ctid, xmin, tableoid FROM ip WHERE a = 1 AND b = 2');
SELECT * FROM zz_check('SELECT ctid FROM ip WHERE a = 1 AND b = 2 AND ctid > ''(3,1)''');
-- a cursor of an outer transaction fetched from, and left, in a failed part
CREATE FUNCTION fail_in_the_middle() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  outer_c CURSOR FOR SELECT a, b, s FROM ip WHERE a = 1 AND b = 2 ORDER BY s;
  r record;
  n int := 0;
BEGIN
  OPEN outer_c;
  FOR i IN 1 .. 5 LOOP
    FETCH outer_c INTO r;
    n := n + r.s;
    BEGIN
      FOR r IN SELECT a, b, s FROM ip WHERE a = 2 AND b = 3 ORDER BY s DESC LOOP
        FETCH outer_c INTO r;
        PERFORM 1 / (r.s - r.s);
      END LOOP;
    EXCEPTION WHEN division_by_zero THEN
      n := n + 1000;
    END;
  END LOOP;
  FETCH outer_c INTO r;
  CLOSE outer_c;
  RETURN n || ' ' || r.s;
END $$;
SET zigzag.debug_force = on;
SELECT fail_in_the_middle();
SET zigzag.enable = off;
SELECT fail_in_the_middle();
RESET zigzag.enable;
-- an error in the filter, in the middle of a scan; and the next query
SELECT count(*) FROM ip WHERE a = 1 AND b = 2 AND 1 / (id - 1451) < 5;
SELECT count(*) FROM ip WHERE a = 1 AND b = 2;
-- committing in a loop over a query
CREATE TABLE log (id int);
DO $$
DECLARE r record;
BEGIN
  FOR r IN SELECT id FROM ip WHERE a = 1 AND b = 2 ORDER BY s LIMIT 30 LOOP
    INSERT INTO log VALUES (r.id);
    COMMIT;
  END LOOP;
END $$;
SELECT count(*), count(DISTINCT id) FROM log;
-- rows of the own transaction, of subtransactions, before and after a command
BEGIN;
INSERT INTO ip VALUES (-2, 1, 2, -2, 'own');
SAVEPOINT x;
INSERT INTO ip VALUES (-3, 1, 2, -3, 'sub');
SELECT id FROM ip WHERE a = 1 AND b = 2 ORDER BY s LIMIT 2;
DECLARE c CURSOR FOR SELECT id FROM ip WHERE a = 1 AND b = 2 ORDER BY s;
DELETE FROM ip WHERE id = -3;
FETCH 1 FROM c;
ROLLBACK TO x;
SELECT id FROM ip WHERE a = 1 AND b = 2 ORDER BY s LIMIT 1;
ROLLBACK;
-- a function that changes the table which the query reads
CREATE FUNCTION add_one(int) RETURNS int LANGUAGE plpgsql AS
$$ BEGIN INSERT INTO ip VALUES (10000 + $1, 1, 2, 1000 + $1, 'added'); RETURN $1; END $$;
SELECT count(add_one(id)) FROM ip WHERE a = 1 AND b = 2;
SELECT count(*) FROM ip WHERE a = 1 AND b = 2;
INSERT INTO ip SELECT id + 20000, a, b, s, 'self' FROM ip WHERE a = 1 AND b = 2;
SELECT count(*) FROM ip WHERE a = 1 AND b = 2;
-- an index that a failed CREATE INDEX CONCURRENTLY has left
CREATE TABLE inv (id int, a int, b int);
INSERT INTO inv SELECT g, g % 2, g % 3 FROM generate_series(1, 600) g;
CREATE INDEX inv_a ON inv (a);
\set VERBOSITY terse
CREATE UNIQUE INDEX CONCURRENTLY inv_b ON inv (b);
ANALYZE inv;
SELECT * FROM zz_check('SELECT * FROM inv WHERE a = 1 AND b = 2');
REINDEX TABLE inv;
\set VERBOSITY default
DROP INDEX inv_b;
CREATE INDEX CONCURRENTLY inv_b ON inv (b);
SELECT * FROM zz_check('SELECT * FROM inv WHERE a = 1 AND b = 2');
-- operators that may leak are not asked before the policy's
CREATE FUNCTION chatty_eq(text, text) RETURNS bool LANGUAGE plpgsql IMMUTABLE AS
$$ BEGIN RAISE NOTICE 'compared with %', $1; RETURN $1 = $2; END $$;
CREATE FUNCTION chatty_cmp(text, text) RETURNS int LANGUAGE plpgsql IMMUTABLE AS
$$ BEGIN RAISE NOTICE 'compared % and %', $1, $2; RETURN bttextcmp($1, $2); END $$;
CREATE OPERATOR === (LEFTARG = text, RIGHTARG = text, FUNCTION = chatty_eq, COMMUTATOR = ===);
CREATE OPERATOR CLASS chatty_ops FOR TYPE text USING btree AS
  OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 ===, OPERATOR 4 >=, OPERATOR 5 >, FUNCTION 1 chatty_cmp(text, text);
CREATE TABLE secret (id int, owner name, word text);
INSERT INTO secret VALUES (1, 'zz_alice', 'known'), (2, 'zz_bob', 'hidden'), (3, 'zz_bob', 'known');
ALTER TABLE secret ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON secret USING (owner = current_user);
CREATE INDEX secret_owner ON secret (owner);
SET client_min_messages = warning;
CREATE INDEX secret_word ON secret (word chatty_ops);
RESET client_min_messages;
ANALYZE secret;
SELECT * FROM zz_explain($$SELECT id FROM secret WHERE owner = 'zz_alice' AND word === 'known'$$);
CREATE ROLE zz_alice;
GRANT SELECT ON secret TO zz_alice;
SET ROLE zz_alice;
SELECT id FROM secret WHERE word === 'known';
RESET ROLE;
DROP OWNED BY zz_alice;
DROP ROLE zz_alice;
