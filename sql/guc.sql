-- The settings: their defaults, bounds and effects.
SELECT name, setting, vartype, min_val, max_val, context
FROM pg_settings WHERE name LIKE 'zigzag.%' ORDER BY name;

-- what is out of range or unknown is an error
SET zigzag.max_sides = 1;
SET zigzag.max_sides = 9;
SET zigzag.max_sides = 'many';
SET zigzag.enable = 'perhaps';
SET zigzag.enable_scan = 2;
SET zigzag.debug_force = '';
SET zigzag.enable_scans = on;
SHOW zigzag.nonsense;
SELECT set_config('zigzag.max_sides', '99', false);
SHOW zigzag.max_sides;

CREATE TABLE gu (id int, a int, b int, c int);
INSERT INTO gu SELECT g, g % 10, g % 11, g % 7 FROM generate_series(1, 2000) g;
CREATE INDEX gu_a ON gu (a);
CREATE INDEX gu_b ON gu (b);
CREATE INDEX gu_c ON gu (c);
VACUUM ANALYZE gu;

-- Sides of the ZigzagScan in the plan; 0: there is none.
CREATE FUNCTION gu_sides(query text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  line text;
  sides int := 0;
BEGIN
  FOR line IN EXECUTE 'EXPLAIN ' || query LOOP
    sides := sides + (line LIKE '%Side: %')::int;
  END LOOP;
  RETURN sides;
END $$;

-- each takes effect at once, for whoever sets it
CREATE ROLE regress_zigzag_user;
GRANT SELECT ON gu TO regress_zigzag_user;
SET ROLE regress_zigzag_user;
\set query '''SELECT * FROM gu WHERE a = 1 AND b = 2 AND c = 3'''
SET zigzag.debug_force = on;
SELECT gu_sides(:query);
SET zigzag.max_sides = 2;
SELECT gu_sides(:query);
SET zigzag.enable_scan = off;
SELECT gu_sides(:query);
SET zigzag.enable_scan = on;
SELECT gu_sides(:query);
SET zigzag.enable = off;
SELECT gu_sides(:query);
BEGIN;
SET LOCAL zigzag.enable = on;
SELECT gu_sides(:query);
ROLLBACK;
SELECT gu_sides(:query);
RESET ALL;
RESET ROLE;
DROP OWNED BY regress_zigzag_user;
DROP ROLE regress_zigzag_user;

-- EXPLAIN shows those that are not at their default
SET zigzag.debug_force = on;
SET zigzag.max_sides = 3;
CREATE FUNCTION gu_settings() RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  line text;
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (SETTINGS) SELECT * FROM gu' LOOP
    RETURN QUERY SELECT m[1] FROM regexp_matches(line, $re$zigzag\.\w+ = '\w+'$re$, 'g') m ORDER BY 1;
  END LOOP;
END $$;
SELECT * FROM gu_settings();
SET zigzag.enable = off;
SET zigzag.enable_scan = off;
SELECT * FROM gu_settings();
RESET zigzag.enable;
RESET zigzag.enable_scan;

-- a cached plan keeps the meaning it was made with
PREPARE gu_plan AS SELECT count(*) FROM gu WHERE a = 1 AND b = 2;
SELECT gu_sides('EXECUTE gu_plan');
SET zigzag.enable = off;
SELECT gu_sides('EXECUTE gu_plan');
EXECUTE gu_plan;
DISCARD PLANS;
SELECT gu_sides('EXECUTE gu_plan');
EXECUTE gu_plan;
DEALLOCATE gu_plan;
RESET ALL;

-- zigzag is an index scan, and goes with them
SET zigzag.debug_force = on;
SET enable_indexscan = off;
SELECT gu_sides('SELECT * FROM gu WHERE a = 1 AND b = 2');
RESET enable_indexscan;
SET enable_bitmapscan = off;
SELECT gu_sides('SELECT * FROM gu WHERE a = 1 AND b = 2');
RESET ALL;
