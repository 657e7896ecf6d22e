# Hot standby: the same answers, and none that rests on what the primary knows
# of its own snapshots only (entries it has marked dead), through promotion.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/lib";
use Faulty qw(clean_log);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $primary = PostgreSQL::Test::Cluster->new('primary');
$primary->init(allows_streaming => 1);
$primary->append_conf('postgresql.conf', "session_preload_libraries = 'zigzag'
autovacuum = off
max_parallel_workers_per_gather = 0
full_page_writes = on
wal_log_hints = on");
$primary->start;
$primary->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->append_conf('postgresql.conf', "max_standby_streaming_delay = -1
hot_standby_feedback = off");
$standby->start;

$primary->safe_psql('postgres', q{
-- Room on all pages: nothing is pruned, nor are marked entries removed, which
-- the standby could not replay while an old snapshot needs them.
CREATE TABLE s (id int, a int, b int, c int) WITH (fillfactor = 40);
INSERT INTO s SELECT g, g % 10, g / 3 % 10, 0 FROM generate_series(1, 3000) g;
CREATE INDEX s_a ON s (a, id) WITH (fillfactor = 40);
CREATE INDEX s_b ON s (b, id) WITH (fillfactor = 40);
VACUUM ANALYZE s;
});
$primary->wait_for_catchup($standby, 'replay', $primary->lsn('write'));

my @queries = (
	'SELECT count(*), sum(id) FROM s WHERE a = 3 AND b = 5',
	'SELECT count(*), sum(id + c) FROM s WHERE a = 3 AND b = 5',
	'SELECT string_agg(id::text, \',\') FROM (SELECT id FROM s WHERE a = 3 AND b = 5 ORDER BY id DESC) x',
	'SELECT string_agg(id::text || c, \',\') FROM (SELECT id, c FROM s WHERE a = 3 AND b = 5 ORDER BY id) x');
my $force = 'SET zigzag.debug_force = on;';

sub same_answers
{
	my ($node, $what) = @_;
	my $sql = '';
	$sql .= "SET zigzag.enable = off; $_; SET zigzag.enable = on; $force $_; EXPLAIN $_; \\echo --\n" for @queries;
	my @parts = split /^--\n?/m, $node->safe_psql('postgres', $sql);
	for my $i (0 .. $#queries)
	{
		my ($off, $on, $plan) = split /\n/, $parts[$i], 3;
		is($on, $off, "$what: $queries[$i]");
		like($plan, qr/ZigzagScan/, "$what: the plan");
	}
}
same_answers($standby, 'standby');

# A snapshot on the standby, older than a deletion.
my ($in, $out, $timer) = ('', '', IPC::Run::timeout(180));
my $h = IPC::Run::start([ 'psql', '-XqAt', '-d', $standby->connstr('postgres') ], '<', \$in, '>', \$out, '2>&1', $timer);

sub ask
{
	my $sql = shift;
	$out = '';
	$in .= "$sql\n\\echo done\n";
	$timer->start;
	$h->pump until $out =~ /^done$/m;
	$out =~ s/^done\n?//m;
	chomp $out;
	return $out;
}
ask('BEGIN ISOLATION LEVEL REPEATABLE READ; SET zigzag.enable = off;');
my @before = map { ask("$_;") } @queries;
ask("SET zigzag.enable = on; $force");
is_deeply([ map { ask("$_;") } @queries ], \@before, 'in the snapshot, before');

$primary->safe_psql('postgres', 'DELETE FROM s WHERE a = 3 AND id % 4 = 1; UPDATE s SET id = id + 1 WHERE a = 3 AND b = 5');
# Index scans of core mark the entries of rows they have found to be dead.
$primary->safe_psql('postgres', q{CHECKPOINT;
SET zigzag.enable = off; SET enable_seqscan = off; SET enable_bitmapscan = off;
SELECT sum(id) FROM s WHERE a = 3; SELECT sum(id) FROM s WHERE b = 5;
SELECT sum(c) FROM s WHERE a = 3; SELECT sum(c) FROM s WHERE b = 5;
});
$primary->safe_psql('postgres', 'CREATE EXTENSION pageinspect');
my $dead = $primary->safe_psql('postgres', q{
SELECT count(*) FROM generate_series(1, pg_relation_size('s_a') / current_setting('block_size')::int - 1) p,
bt_page_items('s_a', p::int) WHERE dead});
cmp_ok($dead, '>', 0, "the primary has marked entries as dead ($dead)");
# A checkpoint and the next change send the pages with the marks to the standby.
$primary->safe_psql('postgres', q{CHECKPOINT;
INSERT INTO s SELECT 5000 + g, g % 10, 5, 2 FROM generate_series(1, 40) g;
INSERT INTO s SELECT g, g % 10, 5, 2 FROM generate_series(1, 3000, 7) g;});
$primary->wait_for_catchup($standby, 'replay', $primary->lsn('write'));
my $sent = $standby->safe_psql('postgres', q{
SELECT count(*) FROM generate_series(1, pg_relation_size('s_a') / current_setting('block_size')::int - 1) p,
bt_page_items('s_a', p::int) WHERE dead});
cmp_ok($sent, '>', 0, "the standby has got the marks ($sent)");
is_deeply([ map { ask("$_;") } @queries ], \@before, 'the old snapshot still sees what the primary has marked as dead');
ask('COMMIT;');
isnt(ask("$queries[1];"), $before[1], 'a new snapshot sees what has changed');
same_answers($standby, 'standby, later');

# Promotion, in a session that goes on.
$standby->promote;
is(ask('SELECT pg_is_in_recovery();'), 'f', 'promoted');
is(ask("$queries[1];"), $standby->safe_psql('postgres', "SET zigzag.enable = off; $queries[1]"), 'the session goes on');
$standby->safe_psql('postgres', 'DELETE FROM s WHERE id % 5 = 0; VACUUM s; INSERT INTO s SELECT 7000 + g, 3, 5, 3 FROM generate_series(1, 100) g');
same_answers($standby, 'promoted');
$in .= "\\q\n";
$h->finish;

# A crash of the new primary.
$standby->stop('immediate');
$standby->start;
same_answers($standby, 'after a crash');
clean_log($_) for $standby, $primary;
done_testing();
