# A short run of scripts/fuzz-mark: random queries with IN and EXISTS where a
# value is needed, with zigzag off and forced.
#
# FUZZ_SEED chooses the queries (default: the day), FUZZ_TABLES how many.
use strict;
use warnings;
use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $seed = $ENV{FUZZ_SEED} || int(time() / 86400);
my $tables = $ENV{FUZZ_TABLES} || 12;
my $queries = 40;
note("seed $seed");

my $node = PostgreSQL::Test::Cluster->new('mark');
$node->init;
$node->append_conf('postgresql.conf', <<'EOF');
session_preload_libraries = 'zigzag'
autovacuum = off
jit = off
EOF
$node->start;

my $script = `"$^X" "$FindBin::RealBin/../scripts/fuzz-mark" --seed $seed --tables $tables --queries $queries`;
is($?, 0, 'the queries were made');

my ($status, $stdout, $stderr) = $node->psql('postgres', $script);
like($stdout, qr/^fuzz-mark: seed $seed, /m, 'all queries ran')
  or diag($stderr);
my ($n, $marked, $differ) =
  $stdout =~ /, (\d+) queries, (\d+) with MarkJoin, (\d+) differences/;

is($n, $tables * $queries, 'as many as there should be');
cmp_ok($marked, '>', $n / 4, 'a good part has a MarkJoin');
is($differ, 0, 'no differences') or diag($stderr);
unlike($stderr, qr/both fail/, 'no query fails') or diag($stderr);

$node->stop;
unlike(slurp_file($node->logfile), qr/leak|PANIC|TRAP/, 'nothing leaks');

done_testing();
