# Random equivalence of NOT IN, a short run: ZIGZAG_FUZZ_SETS sets of tables,
# 40 queries each.  The seed is printed; ZIGZAG_FUZZ_SEED repeats a run.
use strict;
use warnings;
use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $sets = $ENV{ZIGZAG_FUZZ_SETS} || 10;
my $seed = $ENV{ZIGZAG_FUZZ_SEED} || 1 + int(rand(1000000));
note "seed $seed, $sets sets of tables";

my $node = PostgreSQL::Test::Cluster->new('notin');
$node->init;
$node->append_conf('postgresql.conf', "session_preload_libraries = 'zigzag'");
$node->start;

my $fuzz = "$FindBin::RealBin/../scripts/fuzz-notin";
my $script = `$^X $fuzz --seed $seed --tables $sets --queries 40`;
is($?, 0, 'queries are made');

my ($out, $err);
$node->psql('postgres', $script, stdout => \$out, stderr => \$err);
is($err, '', 'no error');

my ($n, $used, $parallel, $differences) = $out =~
  /(\d+) queries, (\d+) with NullAwareAntiJoin, (\d+) in parallel, (\d+) differences/;
is($n, $sets * 40, 'all queries have run');
is($differences, 0, 'no differences') or diag $out;
cmp_ok($used, '>', $n / 2, 'the node was used');
cmp_ok($parallel, '>', 0, 'also in parallel');

$node->stop;
unlike(slurp_file($node->logfile), qr/WARNING|leak|TRAP/, 'nothing is leaked');

done_testing();
