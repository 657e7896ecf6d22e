# How the library comes into a session, and what takes effect without restart;
# objects of the catalog that are not to be used.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/lib";
use Faulty qw(clean_log);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# What is preloaded is decided here alone.
delete $ENV{TEMP_CONFIG};

my $node = PostgreSQL::Test::Cluster->new('extension');
$node->init;
$node->append_conf('postgresql.conf', "autovacuum = off
max_parallel_workers_per_gather = 0
fsync = off
log_min_messages = warning");
$node->start;
my $notice = qr/NOTICE:  zigzag is active in this session only/;

# Run a script: what it printed, errors included.
sub run
{
	my ($sql, %how) = @_;
	my ($out, $err);
	$node->psql($how{db} // 'postgres', $sql, stdout => \$out, stderr => \$err, on_error_stop => 0);
	return "$out\n$err";
}

$node->safe_psql('postgres', q{
CREATE TABLE e (id int, a int, b int);
INSERT INTO e SELECT g, g % 30, g % 31 FROM generate_series(1, 5000) g;
CREATE INDEX e_a ON e (a);
CREATE INDEX e_b ON e (b);
VACUUM ANALYZE e;
});
my $query = 'SELECT count(*) FROM e WHERE a = 1 AND b = 2';
my $explain = "SET zigzag.debug_force = on; EXPLAIN $query;";

# Not preloaded: CREATE EXTENSION activates its own session, and says so.
my $out = run("CREATE EXTENSION zigzag; $explain $query;");
like($out, $notice, 'CREATE EXTENSION says that it is for this session');
like($out, qr/session_preload_libraries/, 'and names the setting that makes it last');
like($out, qr/ZigzagScan/, 'and activates the session');
unlike(run($explain), qr/ZigzagScan/, 'another session is without it');
like(run("LOAD 'zigzag'; $explain"), qr/ZigzagScan/, 'LOAD activates a session');
like(run("SELECT zigzag_version(); $explain"), qr/^1\.0\n.*ZigzagScan/s, 'so does a function of the extension');
run('DROP EXTENSION zigzag');

# Preloaded in one of three ways; only the last needs a restart.
run("ALTER SYSTEM SET session_preload_libraries = 'zigzag';\nSELECT pg_reload_conf();");
ok($node->poll_query_until('postgres', "SELECT current_setting('session_preload_libraries') <> ''"), 'session_preload_libraries, after a reload');
$out = run("$explain CREATE EXTENSION zigzag; DROP EXTENSION zigzag;");
like($out, qr/ZigzagScan/, 'session_preload_libraries: active');
unlike($out, qr/NOTICE|ERROR/, 'session_preload_libraries: nothing to tell');
run("ALTER SYSTEM RESET session_preload_libraries;\nSELECT pg_reload_conf();");
$node->poll_query_until('postgres', "SELECT current_setting('session_preload_libraries') = ''");
# That one loads from a folder for plugins only, where this server has none.
$out = run(q{SET local_preload_libraries = '$libdir/plugins/zigzag'; CREATE EXTENSION zigzag;});
unlike($out, qr/NOTICE|ERROR/, 'local_preload_libraries: nothing to tell');
like(run("DROP EXTENSION zigzag; CREATE EXTENSION zigzag; DROP EXTENSION zigzag;"), $notice, 'and without it there is');
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'zigzag'\nzigzag.max_sides = 4");
$node->restart;
$out = run("$explain CREATE EXTENSION zigzag; DROP EXTENSION zigzag; SHOW zigzag.max_sides;");
like($out, qr/ZigzagScan/, 'shared_preload_libraries: active');
unlike($out, qr/NOTICE|ERROR/, 'shared_preload_libraries: nothing to tell');
like($out, qr/^4$/m, 'a setting from the file');
$node->append_conf('postgresql.conf', "zigzag.enable = off");
$node->reload;
ok($node->poll_query_until('postgres', "SELECT current_setting('zigzag.enable') = 'off'"), 'a setting changed by a reload');
unlike(run($explain), qr/ZigzagScan/, 'and effective');
$node->append_conf('postgresql.conf', "zigzag.enable = on");
$node->reload;
$node->poll_query_until('postgres', "SELECT current_setting('zigzag.enable') = 'on'");

# Settings
$out = run("SET zigzag.nonsense = 1; SET zigzag.enable = perhaps; SET zigzag.max_sides = 1; SET zigzag.max_sides = 'many';");
like($out, qr/ERROR:  invalid configuration parameter name "zigzag.nonsense"/, 'no such setting');
like($out, qr/ERROR:  parameter "zigzag.enable" requires a Boolean value/, 'no such value');
like($out, qr/ERROR:  1 is outside the valid range for parameter "zigzag.max_sides"/, 'too few sides');
like($out, qr/ERROR:  invalid value for parameter "zigzag.max_sides": "many"/, 'not a number');
$out = run("SET zigzag.debug_force = on; SET zigzag.max_sides = 3; EXPLAIN (SETTINGS, COSTS OFF) $query;");
like($out, qr/Settings: .*zigzag.debug_force = 'on'/, 'EXPLAIN (SETTINGS): debug_force');
like($out, qr/Settings: .*zigzag.max_sides = '3'/, 'EXPLAIN (SETTINGS): max_sides');

# Trusted: the owner of a database may create it; others may not.
run('CREATE ROLE zz_owner LOGIN;');
run('CREATE DATABASE zz_db OWNER zz_owner;');
run('CREATE ROLE zz_other LOGIN;');
my $as = sub { run("SET SESSION AUTHORIZATION $_[0]; $_[1]", db => 'zz_db') };
like($as->('zz_other', 'CREATE EXTENSION zigzag;'), qr/ERROR:  permission denied to create extension/, 'anyone may not create it');
$out = $as->('zz_owner', 'CREATE SCHEMA elsewhere; CREATE EXTENSION zigzag SCHEMA elsewhere; SELECT elsewhere.zigzag_version();');
unlike($out, qr/ERROR/, 'the owner of the database may');
# Its functions are a superuser's, as those of every trusted extension.
unlike(run('ALTER EXTENSION zigzag SET SCHEMA public;', db => 'zz_db'), qr/ERROR/, 'it can be moved');
like($as->('zz_other', 'SELECT public.zigzag_version();'), qr/^1\.0$/m, 'and used from its new place');
like($as->('zz_other', 'DROP EXTENSION zigzag;'), qr/ERROR:  must be owner of extension/, 'anyone may not drop it');
$out = $as->('zz_owner', "DROP EXTENSION zigzag; SELECT count(*) FROM pg_proc WHERE proname LIKE 'zigzag%';");
like($out, qr/^0$/m, 'nothing is left of it');

# An index that CREATE INDEX CONCURRENTLY has left invalid
$out = run(q{
CREATE TABLE i AS SELECT g AS id, g % 30 AS a, g % 31 AS b FROM generate_series(1, 5000) g;
CREATE INDEX i_a ON i (a);
CREATE UNIQUE INDEX CONCURRENTLY i_b ON i (b);
VACUUM ANALYZE i;
SELECT 'invalid=' || (NOT indisvalid) FROM pg_index WHERE indexrelid = 'i_b'::regclass;
SET zigzag.debug_force = on;
EXPLAIN SELECT * FROM i WHERE a = 1 AND b = 2;
SELECT 'count=' || count(*) FROM i WHERE a = 1 AND b = 2;
});
like($out, qr/invalid=true/, 'an invalid index');
unlike($out, qr/ZigzagScan|i_b on/, 'is not used');
like($out, qr/count=5/, 'and does no harm');
like(run("REINDEX INDEX i_b; DROP INDEX i_b; CREATE INDEX i_b ON i (b); SET zigzag.debug_force = on; EXPLAIN SELECT * FROM i WHERE a = 1 AND b = 2;"), qr/ZigzagScan/, 'a valid one is');

# A prepared plan whose index goes, and comes
$out = run(q{
SET zigzag.debug_force = on; SET plan_cache_mode = force_generic_plan;
PREPARE p(int, int) AS SELECT count(*) FROM i WHERE a = $1 AND b = $2;
EXPLAIN EXECUTE p(1, 2);
EXECUTE p(1, 2);
\echo == dropped
DROP INDEX i_b;
EXPLAIN EXECUTE p(1, 2);
EXECUTE p(1, 2);
\echo == again
CREATE INDEX i_b2 ON i (b);
EXPLAIN EXECUTE p(1, 2);
EXECUTE p(1, 2);
\echo == reindexed
REINDEX INDEX i_b2;
EXECUTE p(1, 2);
CREATE TABLE j (c int PRIMARY KEY);
ALTER TABLE i ALTER b TYPE int8;
EXPLAIN EXECUTE p(1, 2);
EXECUTE p(1, 2);
\echo == set
SET zigzag.enable_scan = off;
DISCARD PLANS;
EXPLAIN EXECUTE p(1, 2);
EXECUTE p(1, 2);
});
my @parts = split /^== \w+\n/m, $out;
is(scalar(@parts), 5, 'prepared: all parts') or diag($out);
like($parts[0], qr/ZigzagScan.*^5$/ms, 'prepared: with the index');
unlike($parts[1], qr/ZigzagScan/, 'prepared: without the index');
like($parts[1], qr/^5$/m, 'prepared: without the index, the answer');
like($parts[2], qr/ZigzagScan.*^5$/ms, 'prepared: with a new index');
like($parts[3], qr/^5\n.*ZigzagScan.*^5$/ms, 'prepared: rebuilt, and of another type');
unlike($parts[4], qr/ZigzagScan|ERROR/, 'prepared: switched off');
like($parts[4], qr/^5$/m, 'prepared: switched off, the answer');

# An index that exists only in the planner's mind
SKIP:
{
	my $share = $node->safe_psql('postgres', "SELECT count(*) FROM pg_available_extensions WHERE name = 'hypopg'");
	skip 'hypopg is not installed', 2 unless $share;
	$out = run(q{
CREATE EXTENSION hypopg;
SELECT count(*) FROM hypopg_create_index('CREATE INDEX ON e (id)');
SET zigzag.debug_force = on;
EXPLAIN SELECT * FROM e WHERE a = 1 AND id = 1;
SELECT 'rows=' || count(*) FROM e WHERE a = 1 AND id = 1;
});
	unlike($out, qr/ZigzagScan/, 'a hypothetical index is no side');
	like($out, qr/rows=1/, 'and the query runs');
}

clean_log($node);
done_testing();
