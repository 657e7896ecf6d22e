# Backends and the server are killed while scans and joins are under way.  The
# data survive, the answers are the same, and nothing is left behind.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/lib";
use Faulty;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = zigzag_node('killed', "restart_after_crash = on
work_mem = 64kB
hash_mem_multiplier = 1");
$node->safe_psql('postgres', q{
CREATE TABLE k (id int, a int, b int, t text);
INSERT INTO k SELECT g, g % 3, g % 4, repeat('x', 50) FROM generate_series(1, 20000) g;
CREATE INDEX k_a ON k (a, id);
CREATE INDEX k_b ON k (b, id);
CREATE TABLE o AS SELECT nullif(g % 1700, 0) AS x, nullif(g % 11, 0) AS y FROM generate_series(1, 3000) g;
CREATE TABLE i AS SELECT g * 3 AS x, g % 10 AS y FROM generate_series(1, 4000) g;
VACUUM ANALYZE;
CHECKPOINT;
});
my @queries = (
	'SELECT count(*), sum(id) FROM k WHERE a = 1 AND b = 2',
	'SELECT count(*), sum(id + length(t)) FROM k WHERE a = 1 AND b = 2',
	'SELECT count(*), sum(x) FROM o WHERE x NOT IN (SELECT x FROM i)',
	'SELECT count(*), sum(x) FROM o WHERE (x, y) NOT IN (SELECT x, y FROM i)',
	'SELECT count(*), sum(m::int) FROM (SELECT (x, y) IN (SELECT x, y FROM i) AS m FROM o OFFSET 0) q');
# Cursors in the middle of every node: pins, spilled hash tables, tuplestores.
my $open = q{
SET zigzag.debug_force = on;
BEGIN;
DECLARE c1 CURSOR FOR SELECT id FROM k WHERE a = 1 AND b = 2 ORDER BY id; FETCH 5 FROM c1;
DECLARE c2 CURSOR FOR SELECT id, t FROM k WHERE a = 1 AND b = 2 ORDER BY id DESC; FETCH 1 FROM c2;
DECLARE c3 CURSOR FOR SELECT x FROM o WHERE x NOT IN (SELECT x FROM i); FETCH 1 FROM c3;
DECLARE c4 CURSOR FOR SELECT x, y FROM o WHERE (x, y) NOT IN (SELECT x, y FROM i); FETCH 1 FROM c4;
DECLARE c5 CURSOR FOR SELECT (x, y) IN (SELECT x, y FROM i) FROM o; FETCH 1 FROM c5;
SELECT 'files=' || count(*) FROM pg_ls_tmpdir();
};
same_answers($node, 'before', @queries);

# One backend is told to go.
my $s = Faulty::Session->new($node);
like($s->ask($open), qr/files=[1-9]/, 'cursors are open, and have temporary files');
my $pid = $s->pid;
is($node->safe_psql('postgres', "SELECT pg_terminate_backend($pid, 30000)"), 't', 'terminated while idle in its transaction');
$s->quit;
nothing_left($node, 'terminated, idle');
$s = Faulty::Session->new($node);
$s->tell('SET zigzag.debug_force = on; SELECT count(*) FROM generate_series(1, 1000000) x, LATERAL (SELECT id FROM k WHERE a = (x > 0)::int AND b = (x < 0)::int OFFSET 0) y;');
$pid = $s->pid;
ok($node->poll_query_until('postgres', "SELECT state = 'active' AND query LIKE '%LATERAL%' FROM pg_stat_activity WHERE pid = $pid"), 'a scan is running');
is($node->safe_psql('postgres', "SELECT pg_terminate_backend($pid, 30000)"), 't', 'terminated while running');
like($s->answer, qr/terminating connection due to administrator command/, 'it was told so');
$s->quit;
nothing_left($node, 'terminated, running');
# No pin either: VACUUM would wait for it.
is($node->psql('postgres', "SET statement_timeout = '60s';\nDELETE FROM k WHERE id = 7; VACUUM (INDEX_CLEANUP ON, FREEZE) k;"), 0, 'VACUUM waits for nobody');

# One backend is shot: the server starts all the others anew.
for my $when ('idle', 'running')
{
	my $other = Faulty::Session->new($node);
	$s = Faulty::Session->new($node);
	$other->ask($open);
	like($s->ask($open), qr/files=[1-9]/, "$when: cursors are open");
	# What it has not committed is gone afterwards.
	$s->ask('DELETE FROM k WHERE a = 1; UPDATE k SET id = id + 1 WHERE b = 2;');
	$s->tell('SELECT count(*) FROM generate_series(1, 1000000) x, LATERAL (SELECT id FROM k WHERE a = (x > 0)::int AND b = (x < 0)::int OFFSET 0) y;') if $when eq 'running';
	kill 'KILL', $s->pid;
	$_->quit for $s, $other;
	ok($node->poll_query_until('postgres', 'SELECT true'), "$when: the server is back");
	same_answers($node, "killed, $when", @queries);
	nothing_left($node, "killed, $when");
	is($node->safe_psql('postgres', 'SELECT count(*) FROM k'), '19999', "killed, $when: no change without commit");
}

# The whole server, with changes that only the log knows.
$s = Faulty::Session->new($node);
$s->ask($open);
$s->ask('FETCH 10 FROM c2; FETCH 10 FROM c4;');
$node->safe_psql('postgres', "INSERT INTO k SELECT g, g % 3, g % 4, 'new' FROM generate_series(20001, 40000) g; DELETE FROM k WHERE id % 10 = 0;");
$node->stop('immediate');
$s->quit;
$node->start;
same_answers($node, 'after a crash', @queries);
is($node->safe_psql('postgres', 'SELECT count(*) FROM k'), '35999', 'after a crash: all that was committed');
nothing_left($node, 'after a crash');

# The backends lost, and nothing else.
clean_log($node, qr/terminated by signal 9|terminating connection because of crash|HINT/);
done_testing();
