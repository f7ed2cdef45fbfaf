package TartExec;
# `tart exec`: one command through the control socket and the guest's agent.
use strict;
use warnings;
use Frames;
use Home;

my $TIOCGWINSZ = 0x5413;
# The values on Linux. To load the module Socket would double the time of a call.
my ($AF_UNIX, $SOCK_STREAM) = (1, 1);

sub refused {
    return [1, "Failed to connect to the VM using its control socket: $_[0], is the Tart Guest Agent running?\n"];
}

# A connection that the agent has answered. It is tried again until the deadline, as a channel of gRPC does.
sub connect_agent {
    my $left = Home::fault('connect-seconds') || 10;
    while (1) {
        socket my $socket, $AF_UNIX, $SOCK_STREAM, 0 or die "socket: $!\n";
        if (connect $socket, pack 'S a108', $AF_UNIX, 'control.sock') {
            vec(my $read = '', fileno $socket, 1) = 1;
            (my $ready, $left) = select $read, undef, undef, $left;
            if ($ready && (sysread($socket, my $hello, 1) // 0)) { return $socket }
        }
        $left -= 0.05;
        return undef if $left <= 0;
        Home::pause(0.05);
    }
}

sub window_size {
    my $size = pack 'S4', 0, 0, 0, 0;
    ioctl STDOUT, $TIOCGWINSZ, $size or do {
        print STDERR "Fatal error: 'try!' expression unexpectedly raised an error: "
            . "failed to get terminal size: Inappropriate ioctl for device\n";
        $SIG{TRAP} = 'DEFAULT';
        kill 'TRAP', $$;
        sleep 1;
    };
    my ($rows, $columns) = unpack 'S2', $size;
    return pack 'n n', $rows, $columns;
}

sub run {
    my ($name, $interactive, $tty, @command) = @_;
    my $folder = Home::vm_folder($name);
    return [2, "VM \"$name\" is not running\n"] unless Home::pid_of($folder);
    my $refuses = Home::fault('exec-refuses');
    return refused('connection refused') if defined $refuses;
    chdir $folder or die "chdir: $!\n";
    system 'stty', 'raw', '-echo' if $tty && -t STDIN;
    my $socket = connect_agent() or return refused('connect timeout');
    my $size = $tty ? window_size() : pack 'n n', 0, 0;
    my $flags = pack 'C C', $interactive ? 1 : 0, $tty ? 1 : 0;
    my $result = relay($socket, $interactive, $tty, Frames::frame('C', $flags . $size . join "\0", @command));
    system 'stty', 'sane' if $tty && -t STDIN;
    return $result;
}

my $lost = "Error: unavailable (14): Stream unexpectedly closed.\n";
my $most = 262_144;

# Sends standard input to the agent, and receives output and the exit code. A test can make the connection break.
sub relay {
    my ($socket, $interactive, $tty, $first) = @_;
    my $bytes_left = Home::fault('exec-drops-after-bytes');
    my $seconds = Home::fault('exec-drops-after-seconds');
    require Time::HiRes if defined $seconds;
    my $until = defined $seconds ? Time::HiRes::time() + $seconds : undef;
    my $resized = 0;
    local $SIG{WINCH} = sub { $resized = 1 };
    local $SIG{PIPE} = 'IGNORE';
    my ($there, $back, $out, $err, $result) = ($first, '', '', '', undef);
    until ($result && $out eq '' && $err eq '') {
        if ($resized && $tty) { $resized = 0; $there .= Frames::frame('W', window_size()) }
        my $left = defined $until ? $until - Time::HiRes::time() : undef;
        return [1, $lost] if defined $left && $left <= 0;
        my $read = Frames::set_of(
            $interactive && length $there < $most ? \*STDIN : (),
            !$result && length($out) + length($err) < $most ? $socket : (),
        );
        my $write = Frames::set_of($there ne '' ? $socket : (), $out ne '' ? \*STDOUT : (), $err ne '' ? \*STDERR : ());
        next if select($read, $write, undef, $left) < 0;
        if ($interactive && Frames::has($read, \*STDIN)) {
            my $count = sysread STDIN, my $data, 65536;
            if (defined $count || !$!{EINTR}) {
                $there .= Frames::frame('I', $count ? $data : '');
                $interactive = 0 unless $count;
            }
        }
        Frames::write_some($socket, \$there) or $there = '' if Frames::has($write, $socket);
        Frames::write_some(\*STDOUT, \$out) or return [1, ''] if Frames::has($write, \*STDOUT);
        Frames::write_some(\*STDERR, \$err) or return [1, ''] if Frames::has($write, \*STDERR);
        return [1, $lost] if defined $bytes_left && $bytes_left <= 0 && $out eq '' && $err eq '';
        next unless Frames::has($read, $socket);
        sysread $socket, $back, 65536, length $back or return [1, $lost];
        while (my ($type, $data) = Frames::take_frame(\$back)) {
            if ($type eq 'X') { $result = [unpack('N', $data) & 255, ''] }
            elsif ($type eq 'F') { $result = [1, "Error: unknown (2): $data\n"] }
            else {
                if (defined $bytes_left) { $data = substr $data, 0, $bytes_left; $bytes_left -= length $data }
                $type eq 'O' ? $out .= $data : ($err .= $data);
            }
        }
    }
    return $result;
}

1;
