/* sql/zigzag--1.0.sql */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION zigzag" to load this file. \quit

CREATE FUNCTION zigzag_version() RETURNS text
AS 'MODULE_PATHNAME'
LANGUAGE C STABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION zigzag_version() IS 'version of the loaded zigzag library';

-- Load the library into the session that creates the extension.
CREATE FUNCTION zigzag_activate() RETURNS void
AS 'MODULE_PATHNAME'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

SELECT zigzag_activate();

DROP FUNCTION zigzag_activate();
