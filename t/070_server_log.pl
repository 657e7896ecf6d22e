# What the tests take for an alarm in the log of a server (t/lib/ServerLog.pm), and
# what they must not take for one, though it reads like one.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/lib";
use Faulty qw(zigzag_node);
use PostgreSQL::Test::Utils;
use Test::More;

# Lines as they are, without a server that would have to go wrong for them.
my $time = '2026-01-31 12:00:00.000 UTC';
my %line = (
	'a leak' => [ 1, "$time [7] t.pl WARNING:  buffer refcount leak: [004] (rel=base/5/2619, blockNum=1)" ],
	'a leak, with the type of the backend' => [ 1, "$time client backend[7] pg_regress/join WARNING:  relcache reference leak: relation \"f\" not closed" ],
	'a leak, with its code' => [ 1, "$time client backend[7] 01000 WARNING:  snapshot 0x1 still active" ],
	'a panic' => [ 1, "$time [7] PANIC:  stuck spinlock detected" ],
	'an assertion' => [ 1, 'TRAP: FailedAssertion("a == b", File: "zz_leapfrog.c", Line: 7, PID: 7)' ],
	'a bad address' => [ 1, '==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x1' ],
	'undefined behaviour' => [ 1, 'src/core/zz_leapfrog.c:7:3: runtime error: shift exponent 64 is too large' ],
	'a crash' => [ 1, "$time [7] LOG:  server process (PID 8) was terminated by signal 11: Segmentation fault" ],
	'a crash of a client backend' => [ 1, "$time postmaster[7] LOG:  client backend (PID 8) was terminated by signal 6: Aborted" ],
	'a crash of a worker' => [ 1, "$time [7] LOG:  background worker \"parallel worker\" (PID 8) was terminated by signal 11: Segmentation fault" ],
	'an exit' => [ 1, "$time [7] LOG:  server process (PID 8) exited with exit code 2" ],
	'a worker that is told to end' => [ 0, "$time [7] LOG:  background worker \"parallel worker\" (PID 8) exited with exit code 1" ],
	'a query' => [ 0, "$time [7] t.pl LOG:  statement: SELECT 'WARNING:  buffer refcount leak'" ],
	'a query that failed' => [ 0, "$time [7] t.pl STATEMENT:  SELECT leaky('PANIC:  TRAP: 1')" ],
	'a line of a query' => [ 0, "\tWHERE leaky(c1) AND c2 <> ': runtime error: WARNING:  x'" ],
	'a query that was prepared' => [ 0, "$time [7] t.pl DETAIL:  prepare: PREPARE q AS SELECT leaky('WARNING:  1')" ],
	'a function' => [ 0, "$time [7] t.pl CONTEXT:  PL/pgSQL function leaky(text) line 1 at RETURN" ],
	'an error' => [ 0, "$time [7] t.pl ERROR:  was terminated by signal 11" ],
);
my $quiet = "$time [7] LOG:  database system is ready to accept connections\n";

for my $name (sort keys %line)
{
	my ($bad, $text) = @{ $line{$name} };

	is_deeply([ ServerLog::alarms("$quiet$text\n$quiet") ], [ $bad ? $text : () ], ($bad ? 'an alarm: ' : 'none: ') . $name);
}
is_deeply([ ServerLog::alarms($quiet . $line{'a leak'}[1], qr/refcount leak/) ], [], 'none: what is expected');
is(scalar(ServerLog::alarms('')), 1, 'an alarm: no log');
is(scalar(ServerLog::alarms("LOG:  a line without its time\n")), 1, 'an alarm: a log of another form');

# What a server of this version writes.
my $node = zigzag_node('log', "log_statement = all\nrestart_after_crash = on\n");
$node->safe_psql('postgres', q{
CREATE FUNCTION leaky(value int) RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN 1 / value; END';
PREPARE q AS SELECT leaky(1), 'WARNING:  none';
EXECUTE q;
SELECT 1,
'WARNING:  none', leaky(1);
});
$node->psql('postgres', 'SELECT leaky(0)');
my $log = slurp_file($node->logfile);
like($log, qr/$_/, "the log has it: $_") for qr/DETAIL:  prepare: .*leaky/, qr/^\t'WARNING:  none', leaky/m, qr/CONTEXT:  .*leaky/;
is_deeply([ ServerLog::alarms($log) ], [], 'none: queries, in every way a log quotes them');

$node->safe_psql('postgres', q{DO $$ BEGIN RAISE WARNING 'a leak'; END $$});
like(join("\n", ServerLog::alarms(slurp_file($node->logfile))), qr/^[^\n]*WARNING:  a leak$/, 'an alarm: the WARNING of a server');

my $pid = $node->safe_psql('postgres', q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'});
kill 'KILL', $pid;
ok($node->poll_query_until('postgres', 'SELECT true'), 'the server has recovered');
like(join("\n", ServerLog::alarms(slurp_file($node->logfile))), qr/\(PID $pid\) was terminated by signal 9/, 'an alarm: the crash of a server');
$node->stop;
done_testing();
