# What tests share, first of all those of faults: nodes, sessions, and a look at what was left.
#
#	my $node = zigzag_node('name', "settings ...");
#	my $s = Faulty::Session->new($node);	a psql that stays
#	$s->ask('SELECT 1;')					its answer, errors and notices included
#	same_answers($node, 'when', @queries)	off and on agree, and on is zigzag
#	nothing_left($node, $sessions, 'when')	no temporary file, no lock, no pin
#	clean_log($node, qr/expected/)			no warning, no leak, no crash
package Faulty;

use strict;
use warnings;
use Exporter 'import';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use ServerLog;
use Test::More;

our @EXPORT = qw(zigzag_conf zigzag_node same_answers nothing_left clean_log lines_of);

# Settings of all nodes of these tests.
sub zigzag_conf
{
	return "session_preload_libraries = 'zigzag'
autovacuum = off
fsync = off
jit = off
max_parallel_workers_per_gather = 0
";
}

# A running node with these settings, and more.
sub zigzag_node
{
	my ($name, $conf) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);

	$node->init(extra => [ '--no-locale', '--encoding=UTF8' ]);
	$node->append_conf('postgresql.conf', zigzag_conf() . ($conf // ''));
	$node->start;
	return $node;
}

sub lines_of { return split /\n/, $_[0]; }

# Each query has the same answer with zigzag off and forced, and a node of ours
# in its plan.  Core needs memory for a subplan to be hashed.
sub same_answers
{
	my ($node, $when, @queries) = @_;

	for my $query (@queries)
	{
		my $out = $node->safe_psql('postgres', "SET work_mem = '256MB'; SET zigzag.enable = off; $query; RESET work_mem; SET zigzag.enable = on; SET zigzag.debug_force = on; $query;\n\\echo --\nEXPLAIN $query;");
		my ($answers, $plan) = split /^--$/m, $out, 2;
		my @answers = lines_of($answers);
		my @off = splice(@answers, 0, @answers / 2);

		is("@answers", "@off", "$when: $query");
		like($plan, qr/Custom Scan/, "$when: the plan");
	}
}

# After a failure in a session that goes on: what it held is gone, but for the
# locks of its transaction, if it is in one.
sub nothing_left
{
	my ($node, $when) = @_;

	# The end of a backend may take a moment.
	ok($node->poll_query_until('postgres', "SELECT count(*) = 0 FROM pg_ls_tmpdir()"), "$when: no temporary file");
	ok($node->poll_query_until('postgres', "SELECT count(*) = 0 FROM pg_locks WHERE pid <> pg_backend_pid() AND locktype <> 'virtualxid'"), "$when: no lock");
}

# Stop the node, and look into its log; $expected are lines to pass over.
sub clean_log
{
	my ($node, $expected) = @_;

	$node->stop;
	is(join("\n", ServerLog::alarms(slurp_file($node->logfile), $expected)), '', $node->name . ': nothing bad in the log');
}

package Faulty::Session;

use strict;
use warnings;
use IPC::Run ();
use PostgreSQL::Test::Utils;

sub new
{
	my ($class, $node, $dbname) = @_;
	my $self = bless { in => '', out => '' }, $class;

	$self->{timer} = IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default // 180);
	$self->{run} = IPC::Run::start(
		[ 'psql', '-XqAt', '-d', $node->connstr($dbname // 'postgres') ],
		'<', \$self->{in}, '>', \$self->{out}, '2>&1', $self->{timer});
	$self->{pid} = $self->ask('SELECT pg_backend_pid();');
	return $self;
}

sub pid { return $_[0]{pid}; }

# Send statements; answer() waits for what they print.  A session that has ended
# prints nothing.
sub tell
{
	my ($self, $sql) = @_;

	$self->{out} = '';
	$self->{in} .= "$sql\n\\echo =end=\n";
	eval { $self->{run}->pump_nb };
}

# What was printed; up to the end of the session, if that is what comes.
sub answer
{
	my ($self) = @_;

	$self->{timer}->start;
	until ($self->{out} =~ /^=end=$/m)
	{
		last unless $self->{run}->pumpable;
		eval { $self->{run}->pump; 1 } or do { die $@ if $@ =~ /timeout/; last; };
	}
	$self->{timer}->reset;
	my $out = $self->{out};
	$out =~ s/^=end=\n?//m;
	chomp $out;
	return $out;
}

sub ask
{
	my ($self, $sql) = @_;

	$self->tell($sql);
	return $self->answer;
}

sub quit
{
	my ($self) = @_;

	$self->{in} .= "\\q\n";
	eval { $self->{run}->finish };
}

1;
