-- Who may see what: privileges, row security, barriers. A plan of ours must
-- check what the query's own plan checks, and in the same order.
CREATE TABLE se (id int, owner name, a int, b int, secret text);
INSERT INTO se SELECT g, CASE WHEN g % 2 = 0 THEN 'zz_ann' ELSE 'zz_bob' END, g % 10, g % 11, 's' || g
FROM generate_series(1, 4000) g;
CREATE INDEX se_a ON se (a);
CREATE INDEX se_b ON se (b);
CREATE INDEX se_secret ON se (secret);
CREATE TABLE si (owner name, y int, z int, w text);
INSERT INTO si SELECT CASE WHEN g % 2 = 0 THEN 'zz_ann' ELSE 'zz_bob' END, g, g, 's' || g FROM generate_series(1, 3000) g;
INSERT INTO si VALUES ('zz_bob', NULL, NULL, NULL);
CREATE INDEX si_y ON si (y);
VACUUM ANALYZE se, si;
CREATE ROLE zz_ann;
CREATE ROLE zz_bob;
-- The helpers of this test are for everyone.
CREATE FUNCTION zz_try(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  result text;
  results text[] := '{}';
  setting text;
BEGIN
  FOREACH setting IN ARRAY ARRAY['off', 'on'] LOOP
    PERFORM set_config('zigzag.enable', setting, true), set_config('zigzag.debug_force', setting, true);
    BEGIN
      EXECUTE format('SELECT count(*) || '' rows, '' || coalesce(md5(string_agg(q::text, '','' ORDER BY q::text)), ''none'') FROM (%s) q', query) INTO result;
    EXCEPTION WHEN insufficient_privilege THEN
      result := SQLERRM;
    END;
    results := results || result;
  END LOOP;
  PERFORM set_config('zigzag.debug_force', 'off', true);
  RETURN CASE WHEN results[1] = results[2] THEN 'same: ' || regexp_replace(results[1], ', .*', '')
         ELSE 'DIFFERENT: ' || results::text END;
END $$;
-- Ours, or not?
CREATE FUNCTION zz_nodes(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  line text;
  nodes text[] := '{}';
BEGIN
  PERFORM set_config('zigzag.debug_force', 'on', true);
  FOR line IN EXECUTE 'EXPLAIN ' || query LOOP
    IF line ~ '\((ZigzagScan|NullAwareAntiJoin|MarkJoin)\)' THEN
      nodes := nodes || substring(line FROM '\((ZigzagScan|NullAwareAntiJoin|MarkJoin)\)');
    END IF;
  END LOOP;
  PERFORM set_config('zigzag.debug_force', 'off', true);
  RETURN array_to_string(nodes, ' ');
END $$;

-- privileges: on the table, on columns, of the set of a NOT IN
GRANT SELECT (id, a, b) ON se TO zz_ann;
SET ROLE zz_ann;
SELECT zz_nodes('SELECT a FROM se WHERE a = 1 AND b = 2');
SELECT zz_try('SELECT a FROM se WHERE a = 1 AND b = 2');
SELECT zz_try('SELECT id FROM se WHERE a = 1 AND b = 2');
SELECT zz_try('SELECT a FROM se WHERE a = 1 AND b = 2 AND secret = ''s1''');
SELECT zz_try('SELECT a FROM se WHERE a = 1 AND secret = ''s1''');
SELECT zz_try('SELECT se FROM se WHERE a = 1 AND b = 2');
SELECT zz_try('SELECT id FROM se WHERE id NOT IN (SELECT y FROM si)');
SELECT zz_try('SELECT id, id IN (SELECT y FROM si) FROM se');
SELECT zz_try('SELECT id, EXISTS (SELECT FROM si WHERE y = id) FROM se');
RESET ROLE;
GRANT SELECT (y) ON si TO zz_ann;
SET ROLE zz_ann;
SELECT zz_nodes('SELECT id FROM se WHERE id NOT IN (SELECT y FROM si WHERE y IS NOT NULL)');
SELECT zz_try('SELECT id FROM se WHERE id NOT IN (SELECT y FROM si WHERE y IS NOT NULL)');
SELECT zz_try('SELECT id FROM se WHERE id NOT IN (SELECT y FROM si)');
SELECT zz_try('SELECT id FROM se WHERE (id, a) NOT IN (SELECT y, y FROM si)');
SELECT zz_try('SELECT id FROM se WHERE id NOT IN (SELECT z FROM si)');
SELECT zz_try('SELECT id FROM se WHERE id NOT IN (SELECT y FROM si WHERE w IS NOT NULL)');
SELECT zz_nodes('SELECT id, id IN (SELECT y FROM si) FROM se');
SELECT zz_try('SELECT id, id IN (SELECT y FROM si) FROM se');
SELECT zz_try('SELECT id, id IN (SELECT z FROM si) FROM se');
SELECT zz_try('SELECT id FROM se WHERE a = 1 OR id IN (SELECT y FROM si WHERE z > 3)');
RESET ROLE;

-- views: the owner's rights, or with security_invoker the user's
CREATE VIEW si_view AS SELECT z FROM si;
CREATE VIEW si_invoker WITH (security_invoker) AS SELECT z FROM si;
CREATE VIEW not_in_view AS SELECT id FROM se WHERE id NOT IN (SELECT z FROM si WHERE z IS NOT NULL);
CREATE VIEW not_in_invoker WITH (security_invoker) AS SELECT id FROM se WHERE id NOT IN (SELECT z FROM si WHERE z IS NOT NULL);
GRANT SELECT ON si_view, si_invoker, not_in_view, not_in_invoker TO zz_ann;
SET ROLE zz_ann;
SELECT zz_nodes('SELECT id FROM se WHERE id NOT IN (SELECT z FROM si_view)');
SELECT zz_try('SELECT id FROM se WHERE id NOT IN (SELECT z FROM si_view WHERE z IS NOT NULL)');
SELECT zz_try('SELECT id FROM se WHERE id NOT IN (SELECT z FROM si_invoker)');
SELECT zz_try('SELECT id, id IN (SELECT z FROM si_view) FROM se');
SELECT zz_try('SELECT id, id IN (SELECT z FROM si_invoker) FROM se');
SELECT zz_nodes('SELECT * FROM not_in_view');
SELECT zz_try('SELECT * FROM not_in_view');
SELECT zz_try('SELECT * FROM not_in_invoker');
RESET ROLE;

-- row security, of the table and of the set: the NULL is not ann's to see
GRANT SELECT ON se, si TO zz_ann, zz_bob;
ALTER TABLE se ENABLE ROW LEVEL SECURITY;
ALTER TABLE si ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON se USING (owner = current_user);
CREATE POLICY own ON si USING (owner = current_user);
SET ROLE zz_ann;
SELECT zz_nodes('SELECT * FROM se WHERE a = 2 AND b = 3');
SELECT zz_try('SELECT * FROM se WHERE a = 2 AND b = 3');
SELECT zz_nodes('SELECT * FROM se WHERE id NOT IN (SELECT y FROM si)');
SELECT zz_try('SELECT * FROM se WHERE id NOT IN (SELECT y FROM si)');
SELECT zz_try('SELECT * FROM se WHERE (id, a) NOT IN (SELECT y, z FROM si)');
SELECT zz_nodes('SELECT *, id IN (SELECT y FROM si) FROM se');
SELECT zz_try('SELECT *, id IN (SELECT y FROM si) FROM se');
SELECT zz_try('SELECT *, EXISTS (SELECT FROM si WHERE y = id) FROM se');
SET ROLE zz_bob;
SELECT zz_try('SELECT * FROM se WHERE id NOT IN (SELECT y FROM si)');
SELECT zz_try('SELECT *, id IN (SELECT y FROM si) FROM se');
SELECT zz_try('SELECT * FROM not_in_invoker');
RESET ROLE;

-- one prepared statement, several users
SET zigzag.debug_force = on;
SET plan_cache_mode = force_generic_plan;
PREPARE scan AS SELECT count(*) FROM se WHERE a = 2 AND b = 3;
PREPARE notin AS SELECT count(*) FROM se WHERE id NOT IN (SELECT y FROM si);
PREPARE mark AS SELECT id IN (SELECT y FROM si) AS found, count(*) FROM se GROUP BY 1 ORDER BY 1;
EXECUTE scan; EXECUTE notin; EXECUTE mark;
SET ROLE zz_ann;
EXECUTE scan; EXECUTE notin; EXECUTE mark;
SET ROLE zz_bob;
EXECUTE scan; EXECUTE notin; EXECUTE mark;
RESET ROLE;
REVOKE SELECT ON si FROM zz_bob;
SET ROLE zz_bob;
EXECUTE notin;
EXECUTE mark;
RESET ROLE;
GRANT SELECT ON si TO zz_bob;
DEALLOCATE ALL;
RESET plan_cache_mode;
RESET zigzag.debug_force;

-- What leaks sees no hidden row, even if it costs nothing: a function, an
-- operator of a NOT IN, an operator of a mark.
CREATE FUNCTION zz_leak(text, text) RETURNS bool LANGUAGE plpgsql IMMUTABLE STRICT COST 0.0001 AS
$$ BEGIN IF substr($1, 2)::int % 2 <> substr($2, 2)::int % 2 OR substr($1, 2)::int % 2 = 1 THEN RAISE WARNING 'leaked % %', $1, $2; END IF; RETURN $1 = $2; END $$;
CREATE OPERATOR ==~ (LEFTARG = text, RIGHTARG = text, FUNCTION = zz_leak, COMMUTATOR = ==~, HASHES);
CREATE OPERATOR CLASS zz_leak_ops FOR TYPE text USING hash AS OPERATOR 1 ==~, FUNCTION 1 hashtext(text), FUNCTION 2 hashtextextended(text, int8);
SET ROLE zz_ann;
SELECT zz_try('SELECT id FROM se WHERE a = 2 AND b = 3 AND zz_leak(secret, ''s2'')');
SELECT zz_try('SELECT id FROM se WHERE a = 2 AND id NOT IN (SELECT y FROM si WHERE y IS NOT NULL) AND zz_leak(secret, ''s2'')');
SELECT zz_nodes('SELECT id FROM se WHERE NOT (secret ==~ ANY (SELECT w FROM si))');
SELECT zz_try('SELECT id FROM se WHERE a = 2 AND NOT (secret ==~ ANY (SELECT w FROM si))');
SELECT zz_nodes('SELECT id, secret ==~ ANY (SELECT w FROM si) FROM se');
SELECT zz_try('SELECT id, secret ==~ ANY (SELECT w FROM si) FROM se WHERE a = 2');
RESET ROLE;
ALTER TABLE se DISABLE ROW LEVEL SECURITY;
ALTER TABLE si DISABLE ROW LEVEL SECURITY;
CREATE VIEW se_barrier WITH (security_barrier) AS SELECT * FROM se WHERE owner = 'zz_ann';
CREATE VIEW si_barrier WITH (security_barrier) AS SELECT * FROM si WHERE owner = 'zz_ann';
SELECT zz_try('SELECT id FROM se_barrier WHERE a = 2 AND b = 3 AND zz_leak(secret, ''s2'')');
SELECT zz_try('SELECT id FROM se_barrier WHERE a = 2 AND NOT (secret ==~ ANY (SELECT w FROM si_barrier))');
SELECT zz_try('SELECT id, secret ==~ ANY (SELECT w FROM si_barrier) FROM se_barrier WHERE a = 2');
SELECT zz_nodes('SELECT id FROM se_barrier WHERE id NOT IN (SELECT y FROM si_barrier)');

-- a policy that holds a subquery of either kind
ALTER TABLE se ENABLE ROW LEVEL SECURITY;
DROP POLICY own ON se;
CREATE POLICY not_in ON se USING (id NOT IN (SELECT y FROM si WHERE y < 1000) AND (a = 2 OR id IN (SELECT y FROM si)));
SET ROLE zz_ann;
SELECT zz_try('SELECT * FROM se');
SELECT zz_try('SELECT * FROM se WHERE a = 2 AND b = 3');
SELECT zz_try('SELECT * FROM se WHERE id NOT IN (SELECT y FROM si WHERE y > 2000)');
SELECT zz_try('SELECT count(*) FILTER (WHERE id IN (SELECT y FROM si)) FROM se');
RESET ROLE;

-- writes
GRANT UPDATE, DELETE ON se TO zz_ann;
SET zigzag.debug_force = on;
SET ROLE zz_ann;
BEGIN;
UPDATE se SET secret = 'x' WHERE a = 2 AND b = 3;
UPDATE se SET secret = 'x' WHERE id NOT IN (SELECT y FROM si WHERE y > 2000);
DELETE FROM se WHERE id NOT IN (SELECT y FROM si WHERE y > 2000);
ROLLBACK;
RESET ROLE;
REVOKE SELECT ON si FROM zz_ann;
DROP POLICY not_in ON se;
CREATE POLICY everything ON se USING (true);
SET ROLE zz_ann;
DELETE FROM se WHERE id NOT IN (SELECT z FROM si);
UPDATE se SET secret = 'x' WHERE a = 1 OR id IN (SELECT z FROM si);
RESET ROLE;
RESET zigzag.debug_force;
DROP OWNED BY zz_ann, zz_bob;
DROP ROLE zz_ann, zz_bob;
