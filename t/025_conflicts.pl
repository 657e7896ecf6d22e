# A hot standby that must choose between replay and readers: a conflict ends the
# reader, or its rows are right.  What the primary does meanwhile: it removes rows
# and index pages and makes new ones of them.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/lib";
use Faulty;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $primary = PostgreSQL::Test::Cluster->new('primary');
$primary->init(allows_streaming => 1);
$primary->append_conf('postgresql.conf', zigzag_conf());
$primary->start;
$primary->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->append_conf('postgresql.conf', "max_standby_streaming_delay = -1
hot_standby_feedback = off
wal_receiver_status_interval = 1
wal_retrieve_retry_interval = 100ms");
$standby->start;

sub catch_up { $primary->wait_for_catchup($standby, 'replay', $primary->lsn('insert')); }

# Wide keys: many leaf pages.  All rows are in both lists; sum() of each group of
# ten is the same, whatever is done below.
$primary->safe_psql('postgres', q{
CREATE TABLE w (id int, a int, b int, pad text, n int DEFAULT 0);
INSERT INTO w SELECT g, 1, g % 2 * 0 + 2, lpad('', 300, 'p') FROM generate_series(1, 6000) g;
CREATE INDEX w_a ON w (a, id, pad) WITH (deduplicate_items = off);
CREATE INDEX w_b ON w (b, id, pad) WITH (deduplicate_items = off);
CREATE EXTENSION pageinspect;
VACUUM ANALYZE w;
});
catch_up();

my $force = 'SET zigzag.debug_force = on; SET enable_sort = off;';
my %queries = (
	rows => 'SELECT id FROM (SELECT id, n FROM w WHERE a = 1 AND b = 2 ORDER BY id, pad OFFSET 0) q WHERE n >= 0',
	backward => 'SELECT id FROM (SELECT id, n FROM w WHERE a = 1 AND b = 2 ORDER BY id DESC, pad DESC OFFSET 0) q WHERE n >= 0',
	only => 'SELECT id FROM w WHERE a = 1 AND b = 2 ORDER BY id, pad');
like($standby->safe_psql('postgres', "$force EXPLAIN $queries{$_};"), qr/ZigzagScan/, "$_: the plan") for sort keys %queries;

sub deleted_pages
{
	return $primary->safe_psql('postgres', q{
SELECT count(*) FROM generate_series(1, pg_relation_size('w_a') / current_setting('block_size')::int - 1) p,
bt_page_stats('w_a', p::int) WHERE type = 'd'});
}

# A cursor of the standby, in the middle.
sub open_cursor
{
	my ($name, $rows) = @_;
	my $s = Faulty::Session->new($standby);
	my @all = lines_of($s->ask("$force BEGIN ISOLATION LEVEL REPEATABLE READ; $queries{$name};"));
	my @first = lines_of($s->ask("DECLARE c CURSOR FOR $queries{$name}; FETCH $rows FROM c;"));

	is("@first", "@all[0 .. $rows - 1]", "$name: the first rows");
	return ($s, @all[ $rows .. $#all ]);
}

# Pages go while a cursor stands among them.  The rows on them have been dead
# before the cursor's snapshot, so there is no conflict; then new rows split pages.
$primary->safe_psql('postgres', 'DELETE FROM w WHERE id % 1500 BETWEEN 300 AND 1200');
catch_up();
for my $name ('rows', 'backward')
{
	my ($s, @rest) = open_cursor($name, 250);
	my $before = deleted_pages();

	$primary->safe_psql('postgres', "SET zigzag.enable = off; VACUUM (INDEX_CLEANUP ON, TRUNCATE OFF) w");
	cmp_ok(deleted_pages(), '>', $before, "$name: pages were deleted");
	$primary->safe_psql('postgres', q{
INSERT INTO w SELECT g, 1, 2, lpad('', 300, 'q') FROM generate_series(1, 6000, 2) g;});
	catch_up();
	is(join(' ', lines_of($s->ask('FETCH ALL FROM c;'))), "@rest", "$name: the rows of the snapshot, past deleted and split pages");
	$s->ask('COMMIT;');
	$s->quit;
	same_answers($standby, "$name, later", 'SELECT count(*), sum(id) FROM w WHERE a = 1 AND b = 2', 'SELECT count(*), sum(id + n) FROM w WHERE a = 1 AND b = 2');
	$primary->safe_psql('postgres', "DELETE FROM w WHERE pad LIKE 'q%'");
	catch_up();
}
$primary->safe_psql('postgres', 'VACUUM w');

# Replay does not wait long: rows that the snapshot sees are removed.
$standby->append_conf('postgresql.conf', 'max_standby_streaming_delay = 100ms');
$standby->reload;
for my $name (sort keys %queries)
{
	my ($s, @rest) = open_cursor($name, 20);

	$primary->safe_psql('postgres', 'UPDATE w SET n = n + 1; DELETE FROM w WHERE id % 100 = 50');
	$primary->safe_psql('postgres', 'VACUUM (INDEX_CLEANUP ON) w');
	catch_up();
	my $out = $s->ask('FETCH ALL FROM c;');
	like($out, qr/conflict with recovery|server closed the connection|connection to server was lost/, "$name: a conflict, and no row");
	$s->quit;
}
same_answers($standby, 'after conflicts', 'SELECT count(*), sum(id + n) FROM w WHERE a = 1 AND b = 2');

# A running query: whatever comes out is right.  In each state of the primary the
# number of rows is the same.
my $rows = $standby->safe_psql('postgres', 'SET zigzag.enable = off; SELECT count(*) FROM w WHERE a = 1 AND b = 2');
my $writer = Faulty::Session->new($primary);
$writer->tell(q{DO $$ BEGIN
FOR i IN 1 .. 40 LOOP
  UPDATE w SET id = (id * 7 + i) % 6000 WHERE id % 10 = i % 10;
  COMMIT;
  PERFORM pg_sleep(0.01);
END LOOP; END $$;
VACUUM w; UPDATE w SET id = id + 1; VACUUM w; UPDATE w SET n = n + 1; VACUUM w; UPDATE w SET id = id - 1; VACUUM w;});
my ($right, $conflicts, @wrong) = (0, 0);
my $until = time() + 6;
while (time() < $until)
{
	for my $query ("SELECT count(*) FROM ($queries{only}) q", "SELECT count(*) FROM ($queries{rows}) q", "SELECT count(*) FROM ($queries{backward}) q")
	{
		my ($ret, $out, $err) = $standby->psql('postgres', "$force BEGIN ISOLATION LEVEL REPEATABLE READ; $query; SELECT pg_sleep(0.05); $query; COMMIT;", on_error_stop => 1);
		my @counts = grep { /^\d+$/ } lines_of($out);

		push @wrong, grep { $_ ne $rows } @counts;
		if ($ret == 0) { $right++; }
		elsif ($err =~ /conflict with recovery|connection/) { $conflicts++; }
		else { push @wrong, $err; }
	}
}
is("@wrong", '', 'no wrong row in a running query');
cmp_ok($right, '>', 0, "some came to their end ($right, $conflicts conflicts)");
is($writer->answer, '', 'the primary went on meanwhile');
$writer->quit;

# With feedback the primary keeps what the standby's snapshots see: no conflict.
# (There would be one over a page that a cursor has pinned, as with any scan.)
$standby->append_conf('postgresql.conf', 'hot_standby_feedback = on');
$standby->reload;
catch_up();
for my $name (sort keys %queries)
{
	my $s = Faulty::Session->new($standby);
	my $all = $s->ask("$force BEGIN ISOLATION LEVEL REPEATABLE READ; $queries{$name};");
	my $xmin = $s->ask('SELECT pg_snapshot_xmin(pg_current_snapshot());');

	ok($primary->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_stat_replication WHERE backend_xmin IS NOT NULL AND age(backend_xmin) >= age('$xmin'::xid)"), "$name: the primary knows the snapshot");
	$primary->safe_psql('postgres', 'DELETE FROM w WHERE id % 100 = 60; UPDATE w SET n = n + 1 WHERE id % 3 = 0; VACUUM (INDEX_CLEANUP ON) w');
	catch_up();
	is($s->ask("$queries{$name};"), $all, "$name, with feedback: all rows of the snapshot");
	$s->ask('COMMIT;');
	$s->quit;
}

# Promotion with cursors open; then this server removes rows and pages by itself.
my @open = map { [ $_, open_cursor($_, 20) ] } 'rows', 'backward', 'only';
$standby->promote;
$standby->safe_psql('postgres', 'DELETE FROM w WHERE id % 2 = 0; UPDATE w SET n = n + 1 WHERE id % 3 = 0');
# Scans of core mark entries that are dead to all; these are not, to the cursors.
$standby->safe_psql('postgres', 'SET zigzag.enable = off; SET enable_seqscan = off; SET enable_bitmapscan = off; SELECT count(n) FROM w WHERE a = 1; SELECT count(n) FROM w WHERE b = 2;');
$standby->psql('postgres', "SET statement_timeout = '2s';\nVACUUM (INDEX_CLEANUP ON) w");
for (@open)
{
	my ($name, $s, @rest) = @$_;
	is(join(' ', lines_of($s->ask('FETCH ALL FROM c;'))), "@rest", "$name: a cursor goes on after promotion");
	$s->ask('COMMIT;');
	$s->quit;
}
$standby->safe_psql('postgres', 'VACUUM w');
same_answers($standby, 'promoted', 'SELECT count(*), sum(id) FROM w WHERE a = 1 AND b = 2', 'SELECT count(*), sum(id + n) FROM w WHERE a = 1 AND b = 2');

clean_log($standby);
clean_log($primary);
done_testing();
