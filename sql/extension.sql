-- Creating and dropping the extension; loading the library without it.
-- It is about a server that does not load it for all.
SELECT current_setting('shared_preload_libraries') ~ 'zigzag' AS loaded_for_all \gset
\if :loaded_for_all
\quit
\endif
SELECT extname, extversion, extrelocatable FROM pg_extension WHERE extname = 'zigzag';
SELECT zigzag_version() = extversion FROM pg_extension WHERE extname = 'zigzag';
SELECT proname, provolatile, proparallel, obj_description(p.oid, 'pg_proc')
FROM pg_proc p JOIN pg_depend d ON d.objid = p.oid AND d.classid = 'pg_proc'::regclass
WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
  AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'zigzag')
ORDER BY proname;
DROP EXTENSION zigzag;

-- where nothing preloads the library, CREATE EXTENSION tells once
SHOW session_preload_libraries;
CREATE EXTENSION zigzag;
DROP EXTENSION zigzag;
SET session_preload_libraries = 'auto_explain', '$libdir/zigzag.so';
CREATE EXTENSION zigzag;
DROP EXTENSION zigzag;
SET session_preload_libraries = 'zigzagger', 'zigzag/anti';
CREATE EXTENSION zigzag;
SELECT 'nothing more to tell';
DROP EXTENSION zigzag;
BEGIN;
CREATE EXTENSION zigzag;
SELECT 'told at the end';
COMMIT;
DROP EXTENSION zigzag;
BEGIN;
CREATE EXTENSION zigzag;
ROLLBACK;
SELECT 'nothing was created, nothing is told';
SET client_min_messages = warning;
CREATE EXTENSION zigzag;
RESET client_min_messages;
DROP EXTENSION zigzag;
RESET session_preload_libraries;

-- trusted: who may create objects in the database may create it, into a schema
CREATE ROLE regress_zigzag_owner;
GRANT CREATE ON DATABASE :"DBNAME" TO regress_zigzag_owner;
SET ROLE regress_zigzag_owner;
CREATE SCHEMA zz_elsewhere;
CREATE EXTENSION zigzag SCHEMA zz_elsewhere;
SELECT zz_elsewhere.zigzag_version();
DROP EXTENSION zigzag;
DROP SCHEMA zz_elsewhere;
RESET ROLE;
DROP OWNED BY regress_zigzag_owner;
DROP ROLE regress_zigzag_owner;
CREATE EXTENSION zigzag SCHEMA public;
ALTER EXTENSION zigzag SET SCHEMA pg_catalog;
ALTER EXTENSION zigzag SET SCHEMA public;

-- a session without it: nothing is known of zigzag, until LOAD
CREATE TABLE lo (a int, b int);
INSERT INTO lo SELECT g % 30, g % 31 FROM generate_series(1, 5000) g;
CREATE INDEX lo_a ON lo (a);
CREATE INDEX lo_b ON lo (b);
VACUUM ANALYZE lo;
\set unloaded 'dbname=' :DBNAME ' options=-csession_preload_libraries='
\c :unloaded
SHOW zigzag.enable;
SET zigzag.debug_force = on;
EXPLAIN (COSTS OFF) SELECT count(*) FROM lo WHERE a = 1 AND b = 2;
SET zigzag.max_sides = 99;
SET zigzag.nonsense = 1;
LOAD 'zigzag';
SHOW zigzag.max_sides;
SHOW zigzag.debug_force;
EXPLAIN (COSTS OFF) SELECT count(*) FROM lo WHERE a = 1 AND b = 2;
SELECT count(*) FROM lo WHERE a = 1 AND b = 2;
LOAD 'zigzag';

-- the same by CREATE EXTENSION, or by any of its functions
\c :unloaded
SELECT zigzag_version();
SHOW zigzag.enable;
DROP EXTENSION zigzag;
\c :unloaded
CREATE EXTENSION zigzag;
SHOW zigzag.enable;
\set loaded 'dbname=' :DBNAME
\c :loaded
SHOW session_preload_libraries;
