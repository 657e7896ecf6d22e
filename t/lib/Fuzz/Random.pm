# Random choices.  Everything random comes from Perl's own generator, which is the
# same everywhere, so that a seed makes the same round on every machine.
package Fuzz::Random;
use strict;
use warnings;
use Exporter 'import';
our @EXPORT = qw(pick chance below shuffle);

# One of the arguments.
sub pick { return $_[ int(rand(@_)) ]; }

sub chance { return rand() < $_[0]; }

# An integer in [0, n).
sub below { return int(rand($_[0])); }

sub shuffle
{
	my @list = @_;
	for my $i (reverse 1 .. $#list)
	{
		my $j = below($i + 1);
		@list[ $i, $j ] = @list[ $j, $i ];
	}
	return @list;
}

1;
