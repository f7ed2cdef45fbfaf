package Agent;
# The guest's agent: runs commands for `exec` as the user who is logged in.
use strict;
use warnings;
use Errno ();
use Fcntl qw(F_SETFL O_NONBLOCK O_WRONLY);
use POSIX ();
use Frames;

my %environment = (
    PATH => '/bin:/usr/bin:/usr/sbin:/usr/local/bin:/opt/homebrew/bin', TERM => 'xterm-256color', SHELL => '/bin/zsh',
    TMPDIR => '/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T/', XPC_SERVICE_NAME => 'org.cirruslabs.tart-guest-agent',
);
my $most = 262_144;
my ($TIOCSCTTY, $TIOCSWINSZ, $TIOCGPTN, $TIOCSPTLCK) = (0x540E, 0x5414, 0x80045430, 0x40045431);

sub become_user {
    my ($name, $uid, $gid, $home) = (getpwuid 501)[0, 2, 3, 7];
    my @groups = ($gid);
    while (my ($group, undef, $id, $members) = getgrent) { push @groups, $id if grep { $_ eq $name } split ' ', $members }
    $) = join ' ', $gid, @groups;
    POSIX::setgid($gid);
    POSIX::setuid($uid);
    chdir $home;
    umask 022;
    %ENV = (%environment, HOME => $home, USER => $name, LOGNAME => $name);
    $ENV{SHELL} = (getpwuid 501)[8];
}

sub serve {
    my ($control) = @_;
    become_user();
    $0 = '/opt/homebrew/bin/tart-guest-agent --run-agent';
    $SIG{CHLD} = 'IGNORE';
    $SIG{$_} = 'DEFAULT' for qw(USR1 USR2);
    while (1) {
        accept my $client, $control or next;
        my $pid = fork // next;
        next if $pid;
        close $control;
        $SIG{CHLD} = 'DEFAULT';
        answer($client);
        POSIX::_exit(0);
    }
}

sub quoted { join ', ', map { (my $text = $_) =~ s/(["\\])/\\$1/g; $text =~ s/\n/\\n/g; "\"$text\"" } @_ }

sub answer {
    my ($client) = @_;
    syswrite $client, 'H';
    my $buffer = '';
    my ($type, $data);
    until (($type, $data) = Frames::take_frame(\$buffer)) {
        return unless sysread $client, $buffer, 65536, length $buffer;
    }
    my ($interactive, $tty, $rows, $columns, $words) = unpack 'C C n n a*', $data;
    my @argv = split /\0/, $words, -1;
    if (open my $log, '>>', '/tmp/tart-guest-agent.log') {
        printf {$log} "%s\tINFO\tsugar.go\texecuting [%s]\n", POSIX::strftime('%Y-%m-%dT%H:%M:%S', gmtime), quoted(@argv);
    }
    my $file = $argv[0];
    if ($file !~ m{/}) { ($file) = grep { -x $_ && !-d _ } map { "$_/$argv[0]" } split /:/, $ENV{PATH} }
    if (!defined $file) {
        finish($client, 'F', "exec: \"$argv[0]\": executable file not found in \$PATH");
        return;
    }
    if (!-x $file || -d _) {
        finish($client, 'F', "fork/exec $file: " . (-e $file ? 'permission denied' : 'no such file or directory'));
        return;
    }
    my ($pid, $input, @outputs) = $tty ? on_terminal($file, \@argv, $interactive, $rows, $columns) : on_pipes($file, \@argv, $interactive);
    relay($client, \$buffer, $tty, $pid, $input, @outputs);
}

sub on_pipes {
    my ($file, $argv, $interactive) = @_;
    pipe my $out, my $out_end or die;
    pipe my $err, my $err_end or die;
    my ($in_end, $in);
    if ($interactive) { pipe $in_end, $in or die }
    else { open $in_end, '<', '/dev/null' or die }
    my $pid = fork // die;
    return ($pid, $in, $out, $err) if $pid;
    start($file, $argv, $in_end, $out_end, $err_end);
}

sub on_terminal {
    my ($file, $argv, $interactive, $rows, $columns) = @_;
    open my $master, '+<', '/dev/ptmx' or die "ptmx: $!";
    ioctl $master, $TIOCSPTLCK, pack 'i', 0;
    ioctl $master, $TIOCGPTN, my $number = pack 'i', 0;
    my $path = '/dev/pts/' . unpack 'i', $number;
    ioctl $master, $TIOCSWINSZ, pack 'S4', $rows, $columns, 0, 0;
    my $pid = fork // die;
    return ($pid, $interactive ? $master : undef, $master) if $pid;
    POSIX::setsid();
    open my $slave, '+<', $path or POSIX::_exit(126);
    ioctl $slave, $TIOCSCTTY, 0;
    start($file, $argv, $slave, $slave, $slave);
}

sub start {
    my ($file, $argv, @ends) = @_;
    POSIX::dup2(fileno $ends[$_], $_) for 0 .. 2;
    POSIX::close($_) for 3 .. 30;
    $SIG{$_} = 'DEFAULT' for qw(PIPE CHLD);
    exec {$file} @$argv or POSIX::_exit(126);
}

# Output is read to its end before the command's status is fetched. A client that goes away takes the command with it,
# but nothing that the command has started.
sub relay {
    my ($client, $buffer, $tty, $pid, $input, @outputs) = @_;
    $SIG{PIPE} = 'IGNORE';
    fcntl $input, F_SETFL, O_WRONLY | O_NONBLOCK if $input && !$tty;
    my %type = map { ($outputs[$_], $_ == 0 ? 'O' : 'E') } 0 .. $#outputs;
    my ($there, $back, $input_ended) = ('', '', 0);
    my $leave = sub { kill 'KILL', $pid; waitpid $pid, 0; POSIX::_exit(0) };
    while (@outputs || $back ne '') {
        while (my ($type, $data) = Frames::take_frame($buffer)) {
            if ($type eq 'W' && $tty) { ioctl $outputs[0], $TIOCSWINSZ, pack 'S4', unpack('n n', $data), 0, 0 }
            next unless $type eq 'I' && $input;
            $there .= length $data ? $data : $tty ? "\x04" : '';
            $input_ended = 1 if !length $data && !$tty;
        }
        if ($input_ended && $there eq '' && $input) { close $input; undef $input }
        my $read = Frames::set_of(length $there < $most ? $client : (), length $back < $most ? @outputs : ());
        my $write = Frames::set_of($back ne '' ? $client : (), $input && $there ne '' ? $input : ());
        next if select($read, $write, undef, undef) < 0;
        if ($input && Frames::has($write, $input) && !Frames::write_some($input, \$there)) { $there = '' }
        if (Frames::has($write, $client)) { Frames::write_some($client, \$back) or $leave->() }
        if (Frames::has($read, $client)) { sysread $client, $$buffer, 65536, length $$buffer or $leave->() }
        @outputs = grep {
            my ($handle, $ended) = ($_, 0);
            if (Frames::has($read, $handle)) {
                my $count = sysread $handle, my $data, 65536;
                if ($count) { $back .= Frames::frame($type{$handle}, $data) }
                else { $ended = defined $count || !$!{EINTR} }
            }
            !$ended;
        } @outputs;
    }
    waitpid $pid, 0;
    finish($client, 'X', pack 'N', $? & 127 ? 0xffffffff : $? >> 8);
}

sub finish { my ($client, $type, $data) = @_; syswrite $client, Frames::frame($type, $data) }

1;
