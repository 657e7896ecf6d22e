# A session of psql that is given scripts and tells what they print.
package Fuzz::Session;
use strict;
use warnings;
use File::Temp;
use IPC::Open3;
use Time::HiRes qw(sleep);

my $done = '#done#';

# $psql is the command, an array: program, connection and all.
sub new
{
	my ($class, @psql) = @_;
	my $self = bless { psql => \@psql, file => File::Temp->new(SUFFIX => '.sql'),
		errors => File::Temp->new(SUFFIX => '.err') }, $class;
	$self->connect;
	return $self;
}

# A server that has crashed needs a while to recover.
sub connect
{
	my ($self) = @_;
	for my $try (1 .. 300)
	{
		truncate $self->{errors}->filename, 0;
		open my $errors, '>>', $self->{errors}->filename or die $!;
		$self->{pid} = open3(my $in, my $out, '>&' . fileno($errors),
			@{ $self->{psql} }, '-XqAt', '-v', 'VERBOSITY=terse', '-f', '-');
		@$self{qw(in out)} = ($in, $out);
		$self->{alive} = 1;
		my ($ok) = $self->run("SELECT 'connected';\n");
		return if $ok->[0] && $ok->[0] eq 'connected';
		sleep 0.2;
	}
	die 'cannot connect: ' . $self->errors;
}

# Start a script, without waiting for its end.
sub start
{
	my ($self, $script) = @_;
	local $SIG{PIPE} = 'IGNORE';
	open my $file, '>:utf8', $self->{file}->filename or die $!;
	print $file $script;
	close $file;
	truncate $self->{errors}->filename, 0;
	print { $self->{in} } "\\i '", $self->{file}->filename, "'\n\\echo $done\n";
	$self->{in}->flush;
}

# Run a script.  Returns what it printed, as an array of lines, and its errors.
# The session is not alive afterwards if the connection was lost.
sub run
{
	my ($self, $script) = @_;
	$self->start($script);
	my @lines;
	my $out = $self->{out};
	while (defined(my $line = <$out>))
	{
		chomp $line;
		return (\@lines, $self->errors) if $line eq $done;
		push @lines, $line;
	}
	$self->close;
	return (\@lines, $self->errors);
}

# One value, or undef if the query fails.
sub value
{
	my ($self, $query) = @_;
	my ($lines, $errors) = $self->run("$query;\n");
	return $errors =~ /ERROR/ ? undef : join("\n", @$lines);
}

sub errors
{
	my ($self) = @_;
	open my $errors, '<', $self->{errors}->filename or die $!;
	local $/;
	return scalar(<$errors>) // '';
}

sub alive { return $_[0]{alive}; }

sub close
{
	my ($self) = @_;
	return unless $self->{alive};
	$self->{alive} = 0;
	CORE::close $self->{in};
	CORE::close $self->{out};
	waitpid $self->{pid}, 0;
}

sub DESTROY { local $?; $_[0]->close; }

1;
