# Errors out of the middle of a node: in expressions of every kind, in comparison
# functions that are called with a page locked, when a lock is not granted, when a
# subtransaction is rolled back around an open cursor.  The transaction goes on.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/lib";
use Faulty;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = zigzag_node('errors', "work_mem = 64kB
hash_mem_multiplier = 1
deadlock_timeout = 100ms");
$node->safe_psql('postgres', q{
CREATE TABLE k (id int, a int, b int, t text);
INSERT INTO k SELECT g, g % 3, g % 4, 'row' FROM generate_series(1, 6000) g;
CREATE INDEX k_a ON k (a, id);
CREATE INDEX k_b ON k (b, id);
CREATE TABLE o AS SELECT nullif(g % 1700, 5) AS x, nullif(g, 100) AS y FROM generate_series(1, 2000) g;
CREATE TABLE i AS SELECT g * 3 AS x, g % 1000 AS y FROM generate_series(1, 3000) g;
VACUUM ANALYZE;
CREATE SEQUENCE calls;
-- Fails at its n-th call; n is set, and 0 is never.
CREATE FUNCTION fuse(value int) RETURNS int LANGUAGE plpgsql STABLE COST 10000 AS $$
BEGIN
  IF current_setting('test.fuse')::int > 0 AND
     set_config('test.calls', (current_setting('test.calls')::int + 1)::text, true)::int = current_setting('test.fuse')::int THEN
    RAISE division_by_zero;
  END IF;
  RETURN value;
END $$;
-- The order of int4, by a function that may fail.
CREATE FUNCTION fused_cmp(l int, r int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN RETURN btint4cmp(public.fuse(l), r); END $$;
CREATE OPERATOR CLASS fused_ops FOR TYPE int4 USING btree AS
  OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >, FUNCTION 1 fused_cmp(int, int);
});

my $s = Faulty::Session->new($node);
$s->ask("SET zigzag.debug_force = on; SET test.fuse = 0; SET test.calls = 0;");

# A table like k under comparisons that may fail, in both columns.
$s->ask(q{
CREATE TABLE f AS SELECT * FROM k WHERE id <= 1500;
CREATE INDEX f_a ON f (a fused_ops, id fused_ops);
CREATE INDEX f_b ON f (b fused_ops, id fused_ops);
VACUUM ANALYZE f;});

# Fail at one call after another: an error, or the answer when it is not called
# so often.  What is asked afterwards, in the same transaction, is right.
sub blow_fuses
{
	my ($name, $query, $node_name) = @_;
	my $plain = $query =~ s/fuse\((.*?)\)/$1/gr;
	my $answer = $s->ask("SET zigzag.enable = off; SET work_mem = '64MB'; $plain; RESET work_mem; SET zigzag.enable = on;");
	my ($errors, @strange) = (0);

	like($s->ask("EXPLAIN $query;"), qr/$node_name/, "$name: the plan");
	$s->ask('BEGIN;');
	for my $n (1, 2, 3, 7, 20, 50, 100, 300, 1000, 1999, 100000000)
	{
		my $out = $s->ask("SAVEPOINT s; SET test.fuse = $n; SET test.calls = 0; $query;");

		$s->ask('ROLLBACK TO s;');
		if ($out =~ /ERROR:  division_by_zero/) { $errors++; }
		elsif ($out ne $answer) { push @strange, $out; }
	}
	is("@strange", '', "$name: an error or the answer");
	cmp_ok($errors, '>=', 3, "$name: errors ($errors)");
	is($s->ask("$query;"), $answer, "$name: the transaction goes on");
	$s->ask('COMMIT;');
}
my @scan = ('FROM f WHERE a = 1 AND b = 2', 'Zigzag');
blow_fuses('comparison, index-only', "SELECT count(*), sum(id) $scan[0]", $scan[1]);
blow_fuses('comparison, rows', "SELECT count(*), sum(id + length(t)) $scan[0]", $scan[1]);
blow_fuses('comparison, backward', "SELECT string_agg(id::text, ',') FROM (SELECT id $scan[0] ORDER BY id DESC) q", $scan[1]);
blow_fuses('bound value', 'SELECT count(*) FROM generate_series(1, 3000) g, LATERAL (SELECT id FROM k WHERE a = fuse(g % 3) AND b = g % 4 ORDER BY id LIMIT 1) q', 'ZigzagScan');
blow_fuses('filter', 'SELECT count(*), sum(id) FROM k WHERE a = 1 AND b = 2 AND fuse(id) > 0', 'ZigzagScan');
blow_fuses('NOT IN, outer key', 'SELECT count(*), sum(x) FROM o WHERE fuse(x) NOT IN (SELECT x FROM i)', 'NullAwareAntiJoin');
blow_fuses('NOT IN, inner key', 'SELECT count(*), sum(x) FROM o WHERE x NOT IN (SELECT fuse(x) FROM i)', 'NullAwareAntiJoin');
blow_fuses('NOT IN, patterns, outer key', 'SELECT count(*), sum(x) FROM o WHERE (fuse(x), y) NOT IN (SELECT x, y FROM i)', 'NullAwareAntiJoin');
blow_fuses('NOT IN, patterns, inner key', 'SELECT count(*), sum(x) FROM o WHERE (x, y) NOT IN (SELECT x, fuse(y) FROM i)', 'NullAwareAntiJoin');
blow_fuses('NOT IN, residual', 'SELECT count(*), sum(x) FROM o WHERE (x % 50, y) NOT IN (SELECT x % 50, y % 100 FROM i WHERE fuse(i.y) > o.y)', 'NullAwareAntiJoin');
blow_fuses('mark, outer key', 'SELECT count(*), sum(m::int) FROM (SELECT (fuse(x), y) IN (SELECT x, y FROM i) AS m FROM o OFFSET 0) q', 'MarkJoin');
blow_fuses('mark, inner key', 'SELECT count(*), sum(m::int) FROM (SELECT (x, y) IN (SELECT x, fuse(y) FROM i) AS m FROM o OFFSET 0) q', 'MarkJoin');
blow_fuses('mark, above', 'SELECT count(*), sum(m::int) FROM (SELECT fuse((x IN (SELECT x FROM i))::int) AS m FROM o OFFSET 0) q', 'MarkJoin');

# Cursors of all nodes, opened before a subtransaction, within it, and moved in it.
my %cursors = (
	scan => 'SELECT id, t FROM k WHERE a = 1 AND b = 2 ORDER BY id DESC',
	only => 'SELECT id FROM k WHERE a = 1 AND b = 2 ORDER BY id',
	hash => 'SELECT x FROM o WHERE x NOT IN (SELECT x FROM i)',
	patt => 'SELECT x, y FROM o WHERE (x, y) NOT IN (SELECT x, y FROM i)',
	mark => 'SELECT x, y, (x, y) IN (SELECT x, y FROM i) FROM o');
for my $name (sort keys %cursors)
{
	my @all = lines_of($s->ask("SET test.fuse = 0; $cursors{$name};"));
	my @got;

	# Opened outside; its first row, its start then, is asked for in a subtransaction.
	$s->ask("BEGIN; DECLARE c CURSOR FOR $cursors{$name}; SAVEPOINT s;");
	push @got, lines_of($s->ask('FETCH 1 FROM c;'));
	$s->ask('ROLLBACK TO s;');
	for my $round (1 .. 20)
	{
		push @got, lines_of($s->ask('SAVEPOINT s; FETCH 7 FROM c;'));
		$s->ask($round % 2 ? 'ROLLBACK TO s;' : 'RELEASE s;');
		# One of its own, gone with the subtransaction
		$s->ask("SAVEPOINT s; DECLARE d CURSOR FOR $cursors{$name}; FETCH 3 FROM d; FETCH 1 FROM c; SELECT 1 / 0;");
		$s->ask('ROLLBACK TO s;');
		like($s->ask('SAVEPOINT s; FETCH 1 FROM d;'), qr/cursor "d" does not exist/, "$name: a cursor of the subtransaction is gone") if $round == 1;
		$s->ask('ROLLBACK TO s;');
		push @got, '-';
	}
	push @got, lines_of($s->ask('FETCH ALL FROM c;'));
	$s->ask('COMMIT;');
	# Each round moved it by eight rows and showed seven.
	my @expected = shift @all;
	for my $round (1 .. 20)
	{
		push @expected, splice(@all, 0, 7), '-';
		shift @all;
	}
	is(join(' ', @got), join(' ', @expected, @all), "$name: a cursor goes through subtransactions");

	# Exceptions that are caught, many times over, with loops left in the middle.
	is($s->ask(qq{DO \$\$ DECLARE r record; n int := 0; BEGIN
FOR round IN 1 .. 50 LOOP
  BEGIN
    FOR r IN $cursors{$name} LOOP n := n + 1; IF n % 5 = 0 THEN RAISE division_by_zero; END IF; END LOOP;
  EXCEPTION WHEN division_by_zero THEN NULL;
  END;
END LOOP;
RAISE NOTICE '% rows', n; END \$\$;}), 'NOTICE:  250 rows', "$name: loops left by exceptions");
}
nothing_left($node, 'after subtransactions');

# Locks that are not granted: of a row, of a table, of an index.
my $other = Faulty::Session->new($node);
my $lock_rows = 'SELECT id FROM k WHERE a = 1 AND b = 2 ORDER BY id LIMIT 3 FOR UPDATE';
like($s->ask("EXPLAIN $lock_rows;"), qr/ZigzagScan/, 'row lock: the plan');
$other->ask('BEGIN; UPDATE k SET t = t WHERE id = (SELECT min(id) FROM k WHERE a = 1 AND b = 2);');
$s->ask("BEGIN; SET LOCAL lock_timeout = '200ms'; SAVEPOINT s;");
like($s->ask("$lock_rows;"), qr/ERROR:  canceling statement due to lock timeout/, 'row lock: a timeout');
$s->ask('ROLLBACK TO s;');
like($s->ask("$lock_rows NOWAIT;"), qr/ERROR:  could not obtain lock on row/, 'row lock: NOWAIT');
$s->ask('ROLLBACK TO s;');
is(scalar(lines_of($s->ask("$lock_rows SKIP LOCKED;"))), 3, 'row lock: SKIP LOCKED');
$s->ask('ROLLBACK TO s;');
$other->ask('COMMIT;');
is(scalar(lines_of($s->ask("$lock_rows;"))), 3, 'row lock: granted later');
$s->ask('ROLLBACK;');

$s->ask('SET plan_cache_mode = force_generic_plan; PREPARE p(int, int) AS SELECT count(*) FROM k WHERE a = $1 AND b = $2; EXECUTE p(1, 2);');
$other->ask('BEGIN; LOCK TABLE k IN ACCESS EXCLUSIVE MODE;');
like($s->ask("SET lock_timeout = '200ms'; EXECUTE p(1, 2);"), qr/ERROR:  canceling statement due to lock timeout/, 'table lock: a timeout');
$other->ask('ROLLBACK;');
is($s->ask('EXECUTE p(1, 2);'), '500', 'table lock: granted later');
$other->ask('BEGIN; REINDEX INDEX k_b;');
like($s->ask('EXECUTE p(1, 2);'), qr/ERROR:  canceling statement due to lock timeout/, 'index lock: a timeout');
$other->ask('COMMIT;');
is($s->ask('EXECUTE p(1, 2);'), '500', 'index lock: granted later');
$s->ask('RESET lock_timeout;');

# Each has what the other wants.
for ($s, $other)
{
	$_->ask('SET zigzag.debug_force = on; BEGIN;');
}
my $step = 'SELECT count(*) FROM (SELECT id FROM k WHERE a = %d AND b = 2 FOR UPDATE) q;';
is($s->ask(sprintf($step, 1)), '500', 'deadlock: one');
is($other->ask(sprintf($step, 2)), '500', 'deadlock: the other');
$s->tell(sprintf($step, 2));
ok($node->poll_query_until('postgres', "SELECT wait_event_type = 'Lock' FROM pg_stat_activity WHERE pid = " . $s->pid), 'deadlock: one waits');
my $both = $other->ask(sprintf($step, 1) . ' ROLLBACK;') . $s->answer;
like($both, qr/ERROR:  deadlock detected/, 'deadlock: found');
like($both, qr/^500$|500/m, 'deadlock: the survivor has its rows');
$s->ask('ROLLBACK;');

# A great many cursors, in a server that has few buffers to pin.
$_->quit for $s, $other;
$node->append_conf('postgresql.conf', "shared_buffers = 2MB\n");
$node->restart;
$s = Faulty::Session->new($node);
$s->ask('SET zigzag.debug_force = on; SET enable_sort = off; BEGIN;');
my @ids = lines_of($s->ask('SELECT id FROM k WHERE a = 1 AND b = 2 ORDER BY id;'));
my $sql = join "\n", map { "DECLARE c$_ CURSOR FOR SELECT id" . ($_ % 2 ? '' : ', t') . " FROM k WHERE a = 1 AND b = 2 ORDER BY id; MOVE $_ IN c$_;" } 1 .. 400;
is($s->ask($sql), '', '400 cursors are open');
my @wrong = grep { my $row = $s->ask("FETCH 1 FROM c$_;"); $row =~ s/\|row$//; $row ne $ids[$_] } 1 .. 400;
is("@wrong", '', 'each stands where it should');
# No row is lost for want of buffers: pages that are pinned apart from each other.
$s->ask("COMMIT; CREATE TABLE w (id int, a int, b int) WITH (fillfactor = 10); INSERT INTO w SELECT g, 1, 1 FROM generate_series(1, 40000) g; CREATE INDEX w_a ON w (a, id) WITH (fillfactor = 10); CREATE INDEX w_b ON w (b, id) WITH (fillfactor = 10); VACUUM ANALYZE w;");
$sql = join "\n", map { "DECLARE c$_ CURSOR FOR SELECT id FROM w WHERE a = 1 AND b = 1 ORDER BY id; SAVEPOINT s$_; MOVE " . $_ * 90 . " IN c$_;" } 1 .. 200;
my $out = $s->ask("BEGIN; $sql");
like($out, qr/ERROR:  no unpinned buffers available/, 'more pins than buffers: an error');
$s->ask('ROLLBACK;');
is($s->ask('SELECT count(*) FROM w WHERE a = 1 AND b = 1;'), '40000', 'and all is well afterwards');
$s->quit;

nothing_left($node, 'at the end');
clean_log($node, qr/there is no transaction in progress/);
done_testing();
