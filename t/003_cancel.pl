# Scans that are stopped: by a timeout, by another session, by an error, by
# LIMIT, by the end of a subtransaction.  They stop at once and leave nothing.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/lib";
use Faulty qw(clean_log);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time sleep);

my $node = PostgreSQL::Test::Cluster->new('cancel');
$node->init;
$node->append_conf('postgresql.conf', "session_preload_libraries = 'zigzag'
autovacuum = off
max_parallel_workers_per_gather = 0
fsync = off");
$node->start;

# Two halves, interleaved and disjoint: the longest way to no row at all.
$node->safe_psql('postgres', q{
CREATE TABLE c (id int, a int, b int, n int);
INSERT INTO c SELECT g, g % 2, g % 2, g FROM generate_series(1, 200000) g;
CREATE INDEX c_a ON c (a, id);
CREATE INDEX c_b ON c (b, id);
VACUUM ANALYZE c;
CREATE FUNCTION fails_at(n int, at int) RETURNS bool LANGUAGE plpgsql IMMUTABLE COST 10000 AS
$$ BEGIN IF n = at THEN RAISE division_by_zero; END IF; RETURN true; END $$;
});
my $force = 'SET zigzag.debug_force = on;';
# The scan is run again and again, and no row of it ever leaves.
my $long = 'SELECT count(*) FROM generate_series(1, 100000) x, LATERAL (SELECT id FROM c WHERE a = (x > 0)::int AND b = (x < 0)::int OFFSET 0) y';
like($node->safe_psql('postgres', "$force EXPLAIN $long"), qr/ZigzagScan/, 'the plan');

# How soon?  The limit is far above what it takes, for the sake of slow machines.
# It is measured by the server's own clock, between sessions that are connected.
my $caught = "DO \$\$ BEGIN PERFORM * FROM ($long) l; EXCEPTION WHEN query_canceled THEN RAISE NOTICE '% at=%', SQLERRM, extract(epoch FROM clock_timestamp()) - %; END \$\$;";
my ($out, $err);
$node->psql('postgres', "$force SET statement_timeout = 300; " . ($caught =~ s/ - %;/ - extract(epoch FROM statement_timestamp());/r), stdout => \$out, stderr => \$err);
like($err, qr/canceling statement due to statement timeout/, 'a timeout stops it');
my ($took) = $err =~ /at=([\d.]+)/;
cmp_ok($took - 0.3, '<', 1, sprintf('soon (%.0f ms)', ($took - 0.3) * 1000));

# The time limit is for one answer, whatever else happens between two of them.
my ($in, $o, $timer) = ('', '', IPC::Run::timeout(180));
my $h = IPC::Run::start([ 'psql', '-XqAt', '-d', $node->connstr('postgres') ], '<', \$in, '>', \$o, '2>&1', $timer);
my $await = sub {
	$timer->start;
	$h->pump until $o =~ $_[0];
};
$in .= "SELECT 'pid=' || pg_backend_pid();\n";
$await->(qr/^pid=\d+$/m);
my ($pid) = $o =~ /(\d+)/;
my @waits;
for my $i (1 .. 5)
{
	$o = '';
	$in .= "$force\n" . ($caught =~ s/ - %;/;/r) . "\n\\echo end\n";
	$h->pump_nb;
	$node->poll_query_until('postgres', "SELECT state = 'active' AND query LIKE '%LATERAL%' FROM pg_stat_activity WHERE pid = $pid");
	sleep(0.1 + rand(0.1));
	my $start = $node->safe_psql('postgres', "SELECT extract(epoch FROM clock_timestamp()), pg_cancel_backend($pid)");
	$start =~ s/\|t$//;
	$await->(qr/^end$/m);
	push @waits, ($o =~ /at=([\d.]+)/)[0] - $start;
	like($o, qr/canceling statement due to user request/, 'another session stops it');
}
@waits = sort { $a <=> $b } @waits;
cmp_ok($waits[2], '<', 1, sprintf('soon (median %.1f ms)', $waits[2] * 1000));

# In the session that was cancelled all is as before.
my $ask = sub {
	$o = '';
	$in .= "$_[0]\n\\echo end\n";
	$await->(qr/^end$/m);
	$o =~ s/^end\n?//m;
	chomp $o;
	return $o;
};
is($ask->('SELECT count(*) FROM c WHERE a = 1 AND b = 1;'), '100000', 'the session goes on');

# Index-only scans pin pages; see that the pins go with each way to stop.  VACUUM
# in another session waits for pins, so that it ends says that there are none.
# It needs rows that are dead before the scan's snapshot.
my $dead = sub {
	$node->safe_psql('postgres', 'INSERT INTO c SELECT g, 1, 1, -1 FROM generate_series(1, 200001, 100) g; DELETE FROM c WHERE n = -1');
};
my $vacuum = sub {
	my ($what, $waits) = @_;
	my $ret = $node->psql('postgres', "SET statement_timeout = '" . ($waits ? '700ms' : '20s') . "'; \n VACUUM (INDEX_CLEANUP ON, TRUNCATE OFF) c;", stderr => \my $e, on_error_stop => 1);
	if ($waits) { like($e, qr/statement timeout/, "pinned: $what"); }
	else { is($e, '', "not pinned: $what"); }
	$dead->();
};
$dead->();
my $only = 'SELECT id FROM c WHERE a = 1 AND b = 1 ORDER BY id';
my $heap = 'SELECT id, n FROM c WHERE a = 1 AND b = 1 ORDER BY id';
like($ask->("EXPLAIN $only;"), qr/Index Only: true/, 'the plan is index-only');
is($ask->("BEGIN; DECLARE c CURSOR FOR $only; MOVE 10 IN c; FETCH 1 FROM c;"), '21', 'an open cursor');
$vacuum->('an open cursor', 1);
$ask->('CLOSE c;');
$vacuum->('a closed cursor');
is($ask->("SAVEPOINT s; DECLARE c CURSOR FOR $only; FETCH 1 FROM c; DECLARE d CURSOR FOR $heap; FETCH 1 FROM d; ROLLBACK TO s;"), "1\n1|1", 'cursors of a subtransaction');
$vacuum->('a subtransaction rolled back');
is($ask->("DECLARE c CURSOR FOR $only; SAVEPOINT s; FETCH 1 FROM c; RELEASE s; FETCH 1 FROM c;"), "1\n3", 'a cursor moved in a subtransaction');
$ask->('COMMIT;');
$vacuum->('the end of the transaction');
is($ask->("$only LIMIT 3;"), "1\n3\n5", 'LIMIT');
$vacuum->('LIMIT');
like($ask->("SELECT id FROM c WHERE a = 1 AND b = 1 AND fails_at(id, 501) ORDER BY id;"), qr/ERROR:  division_by_zero/, 'a filter that fails');
$vacuum->('a filter that fails, index-only');
like($ask->("SELECT id, n FROM c WHERE a = 1 AND b = 1 AND fails_at(n, 501) ORDER BY id;"), qr/ERROR:  division_by_zero/, 'and with rows from the heap');
is($ask->("DO \$\$ DECLARE r record; BEGIN FOR r IN SELECT id FROM c WHERE a = 1 AND b = 1 ORDER BY id LOOP IF r.id > 100 THEN RAISE division_by_zero; END IF; END LOOP; EXCEPTION WHEN division_by_zero THEN RAISE NOTICE 'caught'; END \$\$;"), 'NOTICE:  caught', 'a loop left by an exception');
is($ask->("DO \$\$ DECLARE r record; BEGIN FOR r IN SELECT id FROM c WHERE a = 1 AND b = 1 ORDER BY id LOOP EXIT WHEN r.id > 100; END LOOP; END \$\$;"), '', 'a loop left by EXIT');
$vacuum->('loops that were left');
# A cursor that outlives its transaction has its rows; nothing stays open.
is($ask->("BEGIN; DECLARE k CURSOR WITH HOLD FOR $only LIMIT 1000; FETCH 1 FROM k; COMMIT; FETCH 1 FROM k;"), "1\n3", 'a holdable cursor');
$vacuum->('a holdable cursor');
# What is scrolled back, and fetched anew
is($ask->("BEGIN; DECLARE s SCROLL CURSOR FOR $only; FETCH 2 FROM s; FETCH PRIOR FROM s; FETCH ABSOLUTE 4 FROM s; FETCH FIRST FROM s; FETCH LAST FROM s; COMMIT;"), "1\n3\n1\n7\n1\n199999", 'a scrollable cursor');
$in .= "\\q\n";
$h->finish;

# "buffer refcount leak", "relcache reference leak", "snapshot reference leak" ...
clean_log($node);
done_testing();
