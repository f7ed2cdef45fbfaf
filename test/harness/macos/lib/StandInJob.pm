# The jobs of the launchd stand-in. Without state/really-run a job has an invented pid and runs nothing.
package StandInJob;
use strict;
use warnings;
use StandIn;
use Exporter 'import';
our @EXPORT = qw(job load unload restart passed print_job disabled_labels read_plist);

sub disabled_labels {
    opendir my $folder, root() . '/state' or return ();
    return sort map { /^disabled-(.+)$/ ? $1 : () } readdir $folder;
}

# The property list as nested values; undef when it is missing or not one.
sub read_plist {
    my ($file) = @_;
    open my $in, '<:encoding(UTF-8)', $file or return undef;
    my $text = do { local $/; <$in> };
    $text =~ s/<!--.*?-->//gs;
    my @tokens = $text =~ /<[^>]*>|[^<]+/g;
    my @stack = (['plist', []]);
    my $leaf;
    for my $token (@tokens) {
        if ($token =~ m{^<(dict|array)>$}) { push @stack, [$1, []] }
        elsif ($token =~ m{^</(dict|array)>$}) {
            my $done = pop @stack;
            push @{ $stack[-1][1] }, $1 eq 'dict' ? { @{ $done->[1] } } : $done->[1];
        }
        elsif ($token =~ m{^<(true|false)/>$}) { push @{ $stack[-1][1] }, $1 eq 'true' ? 1 : 0 }
        elsif ($token =~ m{^<(dict|array)/>$}) { push @{ $stack[-1][1] }, $1 eq 'dict' ? {} : [] }
        elsif ($token =~ m{^<(key|string|integer)>$}) { $leaf = '' }
        elsif ($token =~ m{^</(key|string|integer)>$}) {
            my %entity = (amp => '&', lt => '<', gt => '>', quot => '"', apos => "'");
            $leaf =~ s/&(\w+);/$entity{$1}/g;
            push @{ $stack[-1][1] }, $leaf;
            undef $leaf;
        }
        elsif (defined $leaf && $token !~ /^</) { $leaf .= $token }
    }
    my $plist = $stack[0][1][0];
    return ref $plist eq 'HASH' && defined $plist->{Label} && ref $plist->{ProgramArguments} eq 'ARRAY' ? $plist : undef;
}

sub job {
    my ($label) = @_;
    my $text = read_state("job-$label") // return undef;
    return { map { /^(\w+)=(.*)$/ ? ($1, $2) : () } split /\n/, $text };
}
sub save { my ($label, $job) = @_; write_state("job-$label", join '', map { "$_=$job->{$_}\n" } sort keys %$job) }

sub load {
    my ($label, $domain, $file, $plist) = @_;
    my %job = (domain => $domain, file => $file, runs => 1, program => $plist->{ProgramArguments}[0], pid => 4000 + $$ % 1000);
    save($label, \%job);
    supervise($label, $plist) if defined read_state('really-run');
}

# The job is gone at once, or after as many prints as state/lingers says.
sub unload {
    my ($label, $job) = @_;
    my $lingers = read_state('lingers') // 0;
    if ($lingers > 0) { save($label, { %$job, stopping => $lingers }) }
    elsif (!$job->{supervisor}) { unlink state_file("job-$label") }
    else { save($label, { %$job, stopping => 1 }) }
    # After what is written above: the supervisor deletes that file, at once if the program ends at once.
    end_run($job);
}
# One of the prints during which a stopping job is still there.
sub passed {
    my ($label, $job) = @_;
    return 1 if $job->{supervisor};
    if ($job->{stopping} > 1) { save($label, { %$job, stopping => $job->{stopping} - 1 }) }
    else { unlink state_file("job-$label") }
    return 1;
}
sub end_run {
    my ($job) = @_;
    kill 'TERM', $job->{supervisor} if $job->{supervisor};
}

sub restart {
    my ($label, $job, $kill) = @_;
    return kill($kill ? 'USR1' : 'USR2', $job->{supervisor}) if $job->{supervisor};
    save($label, { %$job, runs => $job->{runs} + 1, pid => $job->{pid} + 1 }) if $kill || !$job->{pid};
}

sub print_job {
    my ($label, $job) = @_;
    my $pid = $job->{pid} ? "\tpid = $job->{pid}\n" : '';
    my $running = $job->{pid} ? 'running' : $job->{last_exit} // '' ne '' ? 'spawn scheduled' : 'not running';
    my $type = $job->{domain} eq 'system' ? 'LaunchDaemon' : 'LaunchAgent';
    my $last = ($job->{last_signal} // '') ne '' ? "\tlast terminating signal = $job->{last_signal}\n" : "\tlast exit code = " . ($job->{last_exit} // '(never exited)') . "\n";
    my $active = $job->{pid} ? 1 : 0;
    print <<"END";
$job->{domain}/$label = {
	active count = $active
	path = $job->{file}
	type = $type
	state = $running

	program = $job->{program}
	arguments = {
		$job->{program}
		host-agent
		run
	}

	environment = {
		PATH => /opt/homebrew/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin
		XPC_SERVICE_NAME => $label
	}

	domain = $job->{domain}
	minimum runtime = 10
	exit timeout = 30
	runs = $job->{runs}
$pid	immediate reason = inefficient
	forks = 0
	execs = 1
	initialized = 1
$last
	properties = keepalive | runatload | inferred program
}
END
}

# Starts the program, and again whenever it has ended, until TERM. USR1: restart.
sub supervise {
    my ($label, $plist) = @_;
    my $child = fork // die "fork: $!\n";
    if ($child) { waitpid $child, 0; return }
    require POSIX;
    POSIX::setsid();
    my $again = fork // POSIX::_exit(1);
    POSIX::_exit(0) if $again;
    open STDIN, '<', '/dev/null';
    open STDOUT, '>>', $plist->{StandardOutPath} // '/dev/null';
    open STDERR, '>>', $plist->{StandardErrorPath} // '/dev/null';
    my ($end, $pid) = (0, 0);
    local $SIG{TERM} = sub { $end = 1; kill 'TERM', $pid if $pid };
    local $SIG{USR1} = sub { kill 'TERM', $pid if $pid };
    local $SIG{USR2} = sub { };
    my $throttle = read_state('throttle') // 0.1;
    # A signal that arrives between fork and exec waits: otherwise neither process would pass it on.
    my $signals = POSIX::SigSet->new(POSIX::SIGTERM(), POSIX::SIGUSR1(), POSIX::SIGUSR2());
    until ($end) {
        POSIX::sigprocmask(POSIX::SIG_BLOCK(), $signals);
        $pid = fork // die "fork: $!\n";
        if (!$pid) {
            $SIG{$_} = 'DEFAULT' for qw(TERM USR1 USR2);
            POSIX::sigprocmask(POSIX::SIG_UNBLOCK(), $signals);
            run_program($plist, job($label));
        }
        POSIX::sigprocmask(POSIX::SIG_UNBLOCK(), $signals);
        save($label, { %{ job($label) }, supervisor => $$, pid => $pid });
        my $waited;
        do { $waited = waitpid $pid, 0 } until $waited == $pid || $waited < 0 && !$!{EINTR};
        my ($code, $signal) = ($? >> 8, $? & 127);
        my $job = job($label) // last;
        save($label, { %$job, pid => '', last_exit => $signal ? '' : $code, last_signal => $signal ? "Signal: $signal" : '', runs => $job->{runs} + ($end ? 0 : 1) });
        select undef, undef, undef, $throttle unless $end;
    }
    unlink state_file("job-$label");
    POSIX::_exit(0);
}

# The user's ids, from the accounts of the stand-ins.
sub become {
    my ($name) = @_;
    my ($uid, $gid) = (read_state('users') // '') =~ /^\Q$name\E:(\d+):(\d+):/m or POSIX::_exit(78);
    $) = "$gid $gid";
    $( = $gid;
    POSIX::setuid($uid) or POSIX::_exit(78);
}

# With state/real-users as the job's user, if root runs this, who may also start and end what runs as root: the stand-in of tart
# needs root for its guests.
sub user_words {
    my ($plist, $job) = @_;
    return () unless defined read_state('real-users');
    my $user = $job->{domain} =~ m{^gui/(\d+)} ? $1 : getpwnam($plist->{UserName} // 'root');
    my $rights = '+kill,+setuid,+setgid';
    return ('/usr/bin/setpriv', '--reuid', $user, '--regid', 20, '--clear-groups', '--inh-caps', $rights, '--ambient-caps', $rights);
}

sub run_program {
    my ($plist, $job) = @_;
    umask $plist->{Umask} if defined $plist->{Umask};
    become($plist->{UserName}) if defined $plist->{UserName} && !$> && !defined read_state('real-users');
    chdir $plist->{WorkingDirectory} or POSIX::_exit(78) if defined $plist->{WorkingDirectory};
    my %given = %{ $plist->{EnvironmentVariables} // {} };
    # The tools of this machine are the stand-ins, for the job too; test variables of the caller go no further.
    local %ENV = (%given, CIDERMILL_TOOLS_DIR => root());
    my @program = (user_words($plist, $job), @{ $plist->{ProgramArguments} });
    exec { $program[0] } @program or POSIX::_exit(78);
}
1;
