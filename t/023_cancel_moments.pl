# A short run of bench/cancel: every node, stopped in every stage, at random
# moments.  The limit is far above what it takes, for slow machines under load:
# what is tested is that nothing runs on, and that nothing is left.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/lib";
use Faulty;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = zigzag_node('moments', "shared_buffers = 64MB\n");
my @connection = ('-h', $node->host, '-p', $node->port, '-d', 'postgres');
my ($out, $err);
my $ok = IPC::Run::run([ $^X, "$FindBin::RealBin/../bench/cancel", '--moments', 44, '--rows', 60000, '--limit', 3000, '--', @connection ], '>', \$out, '2>', \$err);
ok($ok, 'all stopped in time') or diag($out, $err);
like($out, qr/^\d+ stopped in zigzag's nodes: /m, 'the result');
my ($stopped) = $out =~ /^(\d+) stopped/m;
cmp_ok($stopped // 0, '>=', 44, 'many were stopped');
note($out);

nothing_left($node, 'afterwards');
clean_log($node);
done_testing();
