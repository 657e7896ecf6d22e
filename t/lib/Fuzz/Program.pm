# scripts/fuzz, once there is a server: options, the loop over rounds, the verdict.
package Fuzz::Program;
use strict;
use warnings;
use Getopt::Long qw(GetOptionsFromArray);
use Time::HiRes qw(time);
use Fuzz;

sub main
{
	my @args = @_;
	my %o = (seed => 1 + int(time) % 100_000_000, node => 'all', queries => 200, writers => 0, cases => 'fuzz-cases');

	GetOptionsFromArray(\@args, \%o, 'minutes=f', 'rounds=i', 'seed=i', 'node=s', 'queries=i',
		'writers=i', 'cases=s', 'stop', 'log=s', 'psql=s@') && !@args or return 2;
	my @nodes = $o{node} eq 'all' ? @Fuzz::nodes : split /,/, $o{node};
	for my $node (@nodes)
	{
		next if $Fuzz::makers{$node};
		print STDERR "no such node: $node\n";
		return 2;
	}
	$o{rounds} = @nodes * 10 unless $o{rounds} || $o{minutes};
	$| = 1;

	my $fuzz = Fuzz->new(psql => $o{psql}, queries => $o{queries}, writers => $o{writers}, cases => $o{cases},
		most => $o{stop} ? 1 : 3);
	my ($until, $round, $stopped) = (time + 60 * ($o{minutes} // 0), 0, 0);
	local @SIG{qw(INT TERM)} = (sub { $stopped = 1; }) x 2;
	while (!$stopped && ($o{minutes} ? time < $until : $round < $o{rounds}))
	{
		my $failures = $fuzz->round($o{seed} + int($round / @nodes), $nodes[ $round % @nodes ]);
		$round++;
		last if $failures && $o{stop};
	}
	$fuzz->{session}->close;

	my @bad;
	if ($o{log} && open my $log, '<', $o{log})
	{
		@bad = Fuzz::alarms(do { local $/; <$log> // ''; });
		print map { "log: $_\n" } @bad[ 0 .. ($#bad < 19 ? $#bad : 19) ];
	}
	$fuzz->{range} = sprintf 'seeds %d to %d', $o{seed}, $o{seed} + int(($round - 1) / @nodes);
	print $fuzz->summary, ', ', scalar(@bad), " bad lines in the log\n";
	return $fuzz->failed || @bad ? 1 : 0;
}

1;
