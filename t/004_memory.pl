# Memory: nothing grows with the rows or the steps of a scan.  The session's own
# memory contexts are looked at between two fetches of one cursor.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/lib";
use Faulty qw(clean_log);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('memory');
$node->init(extra => [ '--no-locale', '--encoding=UTF8' ]);	# for ICU collations
$node->append_conf('postgresql.conf', "session_preload_libraries = 'zigzag'
autovacuum = off
max_parallel_workers_per_gather = 0
fsync = off
jit = off");
$node->start;

# Suffixes that are compared by functions which allocate: numeric and text of
# another collation, long enough to be compressed or toasted on their way.
my $collation = $node->safe_psql('postgres', q{
SELECT collname FROM pg_collation WHERE collname IN ('en-x-icu', 'C.utf8', 'POSIX')
ORDER BY array_position(ARRAY['en-x-icu', 'C.utf8', 'POSIX'], collname::text) LIMIT 1});
$node->safe_psql('postgres', q{
CREATE TABLE m (a int, b int, n numeric, t text COLLATE "COLL", x text, i int);
INSERT INTO m SELECT g % 2, g / 2 % 2, g::numeric / 1000 + 1e30, lpad(g::text, 40, 'pfx'), 'filler', g
FROM generate_series(1, 120000) g;
CREATE INDEX m_an ON m (a, n); CREATE INDEX m_bn ON m (b, n);
CREATE INDEX m_at ON m (a, t); CREATE INDEX m_bt ON m (b, t);
CREATE INDEX m_a ON m (a); CREATE INDEX m_b ON m (b);
CREATE INDEX m_xa ON m (x, i); CREATE INDEX m_xb ON m (a, i);
VACUUM ANALYZE m;
-- All memory of the session, but for what the looking itself takes.
CREATE FUNCTION used() RETURNS int8 LANGUAGE sql VOLATILE AS
$$ SELECT sum(used_bytes)::int8 FROM pg_backend_memory_contexts
   WHERE name NOT LIKE 'SQL function%' AND name NOT IN ('PLpgSQL function', 'SPI Exec', 'SPI Plan', 'SPI Proc', 'SPI TupTable') $$;
} =~ s/COLL"/$collation"/r);

my %queries = (
	'numeric suffix, index-only' => 'SELECT n FROM m WHERE a = 1 AND b = 1 ORDER BY n',
	'numeric suffix, heap' => 'SELECT n, i FROM m WHERE a = 1 AND b = 1 ORDER BY n DESC',
	'text suffix, index-only' => 'SELECT t FROM m WHERE a = 1 AND b = 1 ORDER BY t',
	'text suffix, heap' => 'SELECT t, x FROM m WHERE a = 1 AND b = 1 ORDER BY t DESC',
	'no suffix' => 'SELECT a, b FROM m WHERE a = 1 AND b = 1',
	'text bound' => "SELECT i FROM m WHERE x = repeat('f', 1) || 'iller' AND a = 1 ORDER BY i",
	'rows removed' => 'SELECT n FROM m WHERE a = 1 AND b = 1 AND n::text || i NOT LIKE \'%5\' ORDER BY n',
	'rescans' => 'SELECT y.n FROM generate_series(1, 1000000) g, LATERAL (SELECT n FROM m WHERE a = (g > 0)::int AND b = g % 2 ORDER BY n OFFSET 1000 LIMIT 1) y');

for my $what (sort keys %queries)
{
	my $early = $what eq 'rescans' ? 20 : 2000;
	my $late = $what eq 'rescans' ? 400 : 20000;
	my $out = $node->safe_psql('postgres', qq{
SET zigzag.debug_force = on;
SET statement_timeout = '60s';
EXPLAIN $queries{$what};
BEGIN;
DECLARE c NO SCROLL CURSOR FOR $queries{$what};
MOVE $early IN c;
SELECT used() > 0;
SELECT 'used=' || used();
MOVE $late IN c;
SELECT 'used=' || used();
FETCH 1 FROM c;
MOVE ALL IN c;
SELECT 'used=' || used();
COMMIT;} =~ s/MOVE ALL IN c;/$what eq 'rescans' ? 'MOVE 100 IN c;' : 'MOVE ALL IN c;'/er);
	my ($first, $second, $third) = $out =~ /used=(\d+)/g;
	like($out, qr/ZigzagScan/, "$what: the plan");
	# A scan of 20,000 rows that kept 8 bytes of each would be over it.
	cmp_ok($second - $first, '<', 60_000, "$what: after $late rows more");
	cmp_ok($third - $first, '<', 60_000, "$what: at the end");
}

# The same within one fetch: a scan of very many steps that finds no row, many
# times over.  Its memory is looked at from another session's side.
my $out = $node->safe_psql('postgres', q{
CREATE TABLE z (a int, b int, n numeric);
INSERT INTO z SELECT g % 2, g % 2, g::numeric / 7 FROM generate_series(1, 60000) g;
CREATE INDEX ON z (a, n); CREATE INDEX ON z (b, n);
VACUUM ANALYZE z;
SET zigzag.debug_force = on;
EXPLAIN SELECT count(n) FROM z WHERE a = 0 AND b = 1;
BEGIN;
DECLARE c NO SCROLL CURSOR FOR SELECT g, y.n FROM generate_series(0, 8) g LEFT JOIN LATERAL (SELECT n FROM z WHERE a = 0 AND b = (g >= 0)::int ORDER BY n OFFSET 0) y ON true;
FETCH 1 FROM c;
SELECT used() > 0;
SELECT 'used=' || used();
MOVE 7 IN c;
SELECT 'used=' || used();
COMMIT;
});
my ($first, $second) = $out =~ /used=(\d+)/g;
like($out, qr/ZigzagScan/, 'steps without rows: the plan');
# 7 scans of 60,000 steps each
cmp_ok($second - $first, '<', 60_000, 'steps without rows');

clean_log($node);
done_testing();
