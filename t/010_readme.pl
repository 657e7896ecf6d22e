# What README.md and src/README.md say is so: transcripts, settings, links and
# the functions that are named.
#
# With README_UPDATE=1 in the environment the transcripts are written anew.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/lib";
use Faulty qw(clean_log);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $top = "$FindBin::RealBin/..";
my $readme = slurp_file("$top/README.md");
my $map = slurp_file("$top/src/README.md");

my $node = PostgreSQL::Test::Cluster->new('readme');
$node->init;
$node->append_conf('postgresql.conf', <<'EOF');
session_preload_libraries = 'zigzag'
autovacuum = off
max_parallel_workers_per_gather = 0
jit = off
EOF
$node->start;

# Transcripts: blocks marked "psql", run in one session.  A command begins with
# "=> ", goes on in lines indented by three spaces, and ends with a semicolon.
my @commands;
foreach my $block ($readme =~ /^```psql\n(.*?)^```$/msg)
{
	push @commands, $block =~ /^=> (.*?;)$/msg;
}
cmp_ok(scalar @commands, '>', 5, 'README has transcripts');

my $script = '';
foreach my $n (0 .. $#commands)
{
	$script .= "\\echo \@$n\n$commands[$n]\n";
}
my ($stdout, $stderr) = ('', '');
my $status = $node->psql('postgres', $script, stdout => \$stdout,
	stderr => \$stderr, extra_params => [ '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1' ]);
is($status, 0, 'transcripts run') or diag($stderr);

my @outputs = map { '' } @commands;
my $current = 0;
foreach my $line (split /\n/, $stdout)
{
	if ($line =~ /^\@(\d+)$/) { $current = $1; next; }

	# 18 shows rows with two digits behind the point.
	$line =~ s/\b(rows=\d+)\.00\b/$1/;
	$outputs[$current] .= "$line\n";
}

my $n = 0;
my $expected = $readme;
$expected =~ s{^```psql\n(.*?)^```$}{
	my $text = '';
	foreach my $command ($1 =~ /^=> (.*?;)$/msg)
	{
		$text .= "=> $command\n$outputs[$n++]";
	}
	"```psql\n$text```";
}mesg;
if ($ENV{README_UPDATE})
{
	open(my $out, '>', "$top/README.md") or die "README.md: $!";
	print $out $expected;
	close $out;
	$readme = $expected;
}
is($readme, $expected, 'transcripts are what the server says');
like($expected, qr/ZigzagScan/, 'transcripts show a ZigzagScan');

# Settings: all of them, with their defaults.
my %documented = $readme =~ /^\| `(zigzag\.\w+)` \| `(\w+)` \|/mg;
my %settings = split /[|\n]/, $node->safe_psql('postgres',
	"SELECT name, boot_val FROM pg_settings WHERE name LIKE 'zigzag.%'");
is_deeply(\%documented, \%settings, 'README names every setting and its default');

# EXPLAIN labels: those that the table explains exist.
my $explain = join '', map { slurp_file($_) } glob("$top/src/exec/*.c");
my ($labels) = $readme =~ /^## Reading EXPLAIN\n(.*?)^## /ms;
foreach my $label ($labels =~ /^\| ((?:`[A-Z][A-Za-z ]+`(?:, )?)+) \|/mg)
{
	foreach my $name ($label =~ /`([^`]+)`/g)
	{
		next if $name eq 'Filter';    # core's
		like($explain, qr/"\Q$name\E"/, "EXPLAIN has a label \"$name\"");
	}
}

# The plot is drawn from the numbers, and shows the losses.
my $head = 'query,zigzag chosen,core ms,zigzag ms,composite ms,core/zigzag,zigzag/composite';
my $csv = PostgreSQL::Test::Utils::tempdir() . '/sample.csv';
append_to_file($csv, qq{$head\n"limit 10, win",yes,400,0.5,0.4,800,1.25\n"loss",yes,1,1.2,,0.83,\n});
my ($svg) = run_command([ "$top/bench/plot", $csv ]);
like($svg, qr/>limit 10, win<.*>800 x<.*fill="#c92a2a">0.8 x</s, 'bench/plot shows gain and loss');
if (-e "$top/bench/results.csv")
{
	($svg) = run_command([ "$top/bench/plot", "$top/bench/results.csv" ]);
	chomp(my $stored = slurp_file("$top/bench/results.svg"));
	is($stored, $svg, 'bench/plot bench/results.csv gives bench/results.svg');
}

# Links and the files named by the map.
foreach my $link ($readme =~ /\]\(([^)#:]+)\)/g)
{
	ok(-e "$top/$link", "README: $link exists");
}
foreach my $path ($map =~ /`((?:src|include|sql|t|specs|scripts|bench|doc)\/[\w.\/-]+)`/g)
{
	ok(-e "$top/$path", "src/README: $path exists");
}

# file:function, as in src/core/zz_leapfrog.c:align
my %sources = map { (m{([^/]+)$}, slurp_file($_)) }
  glob("$top/src/*.c $top/src/*/*.c $top/include/*.h");
my @functions = $map =~ /\b([a-z_]+\.[ch]:\w+)/g;
cmp_ok(scalar @functions, '>', 15, 'the map names functions');
foreach my $name (@functions)
{
	my ($file, $function) = split /:/, $name;
	like($sources{$file} // '', qr/^(?:static inline \w+\n|\w.*\b)?\Q$function\E\(/m,
		"src/README: $name exists");
}

clean_log($node);
done_testing();
