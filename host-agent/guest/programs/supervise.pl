# Runs the script of a build on a pseudo-terminal, detached from the connection, and keeps its output and exit status in
# memory until the host has fetched them. The host follows over any number of connections, one after the other.
# In: `options` (see below), `service` for each NAME=value that the service sets, `variable` for each that only the script
# sees, `file` (the name of a variable) and its `content` in pieces for each secret that is a file, `script` in pieces,
# `start`. Out: `port`; then this process
# connects its input and output with the supervisor.
# For the supervisor: `follow` (token, offset), `begin`, `ack` (offset), `signal` (0, TERM, KILL), `release`.
# `woken`: a program waited for keys of the terminal, and its input was ended.
# From it: `session` (boot id, process id, terminal), `begun` (process id), `output`, `ended` (exit status, number
# of processes that are left), `signaled` (number of processes), `alive`, `refused` (code and text).
use strict;
use warnings;
use Fcntl qw(F_GETFL F_SETFL O_NONBLOCK);
use POSIX ();
use Socket qw(AF_INET INADDR_LOOPBACK IPPROTO_TCP SOCK_STREAM SOMAXCONN TCP_NODELAY pack_sockaddr_in unpack_sockaddr_in);

# After the script's exit, this much of its output is read at most: terminals hold less. A process that the script has
# left may go on writing for ever.
use constant { PIECE => 65536, TAIL => 262144, ALIVE_S => 10, UNUSED_S => 60, STRANGER_S => 10, STRANGERS => 8 };

my %start;
@start{qw(title token mark work file secrets cwd shell rows columns buffer abandon quiet)} = fields(receive_only('options'));
my (@service, @variables, @files, $script);
$script = '';
while (1) {
  my ($type, $payload) = receive_frame();
  last if $type eq 'start';
  if ($type eq 'service') { push @service, $payload }
  elsif ($type eq 'variable') { push @variables, $payload }
  elsif ($type eq 'file') { push @files, { name => $payload, content => '' } }
  elsif ($type eq 'content' && @files) { $files[-1]{content} .= $payload }
  elsif ($type eq 'script') { $script .= $payload }
  else { fail('bad_input', "unexpected $type") }
}
my $boot = boot_id();
my ($master, $slave, $terminal) = open_terminal($start{rows}, $start{columns});
write_script($start{file}, $script);
push @variables, write_secrets($start{secrets}, @files);
@files = ();
socket(my $listener, AF_INET, SOCK_STREAM, 0) or fail_call('socket');
bind($listener, pack_sockaddr_in(0, INADDR_LOOPBACK)) or fail_call('bind');
listen($listener, SOMAXCONN) or fail_call('listen');
my ($port) = unpack_sockaddr_in(getsockname $listener);

my $child = fork;
fail_call('fork') unless defined $child;
if ($child) {
  waitpid($child, 0);
  fail('fork', 'the supervisor could not be started') if $?;
  close $_ for $listener, $master, $slave;
  send_frame('port', $port);
  follow($port);
}
# The guest agent waits until nobody holds the pipes of the connection.
POSIX::setsid();
my $supervisor = fork;
POSIX::_exit(defined $supervisor ? 0 : 1) if !defined $supervisor || $supervisor;
my $null = POSIX::open('/dev/null', POSIX::O_RDWR());
POSIX::dup2($null, $_) for 0, 1, 2;
POSIX::close($null) if $null > 2;
$SIG{$_} = 'IGNORE' for qw(HUP INT QUIT TERM PIPE);
$0 = $start{title};

pipe(my $woken, my $wake) or POSIX::_exit(1);
nonblocking($_) for $woken, $wake, $listener;
$SIG{CHLD} = sub { syswrite $wake, 'x' };

# Output: `$kept` begins at offset `$base`; the client has been sent everything before `$sent`.
my ($kept, $base, $sent) = ('', 0, 0);
# The script: process id, exit status, number of processes that it has left.
my ($pid, $status, $left, @failure);
my $released = 0;
# Connections: socket, number, bytes read, bytes to write, age in seconds. `$client` is the one that follows.
my (%strangers, $client);
my $accepted = 0;
my ($idle, $quiet, $last) = (0, 0, time);
# Seconds without output, after how many the terminal is looked at, and how often a program may be woken up yet.
my ($unheard, $look, $wakes) = (0, $start{quiet}, 20);

while (1) {
  my $readable = '';
  my $writable = '';
  vec($readable, fileno $_, 1) = 1 for $woken, $listener, map { $_->{socket} } values %strangers;
  my $room = $start{buffer} - length $kept;
  vec($readable, fileno $master, 1) = 1 if !defined $status && $room > 0;
  if ($client) {
    vec($readable, fileno $client->{socket}, 1) = 1;
    queue_output();
    vec($writable, fileno $client->{socket}, 1) = 1 if $client->{out} ne '';
  }
  my $ready = select($readable, $writable, undef, 1);
  tick();
  next if $ready <= 0;
  if (vec($readable, fileno $woken, 1)) { sysread $woken, my $ignored, 4096; reap() }
  read_terminal($room) if !defined $status && vec($readable, fileno $master, 1);
  accept_stranger() if vec($readable, fileno $listener, 1);
  for my $stranger (values %strangers) { greet($stranger) if vec($readable, fileno $stranger->{socket}, 1) }
  if ($client && vec($writable, fileno $client->{socket}, 1)) { flush_client() }
  if ($client && vec($readable, fileno $client->{socket}, 1)) { read_client() }
}

sub nonblocking {
  my ($handle) = @_;
  fcntl($handle, F_SETFL, fcntl($handle, F_GETFL, 0) | O_NONBLOCK);
}

# Counts time by steps of at most two seconds, so that a clock that was set, or a suspended machine, changes little.
sub tick {
  my $now = time;
  my $step = $now - $last;
  $last = $now;
  return if $step == 0;
  $step = $step < 0 ? 0 : $step > 2 ? 2 : $step;
  $quiet += $step;
  $unheard += $step;
  if (defined $pid && !defined $status && $unheard >= $look && $wakes > 0) { end_input() }
  if ($client) {
    $idle = 0;
    if ($quiet >= ALIVE_S && $client->{out} eq '') { say_to_client('alive') }
  } else {
    $idle += $step;
    abandon() if $idle >= (defined $pid ? $start{abandon} : UNUSED_S);
  }
  for my $key (keys %strangers) { delete $strangers{$key} if ($strangers{$key}{age} += $step) >= STRANGER_S }
}

# The terminal has no input: reads of it return its end, until a program asks it for keys and waits for them. Then the
# input ends again, and a key wakes the program up.
sub end_input {
  ($unheard, $look) = (0, $look * 2 > 60 ? 60 : $look * 2);
  return unless waits_for_keys($slave);
  $wakes -= 1;
  has_no_input($slave);
  syswrite $master, "\x04";
  say_to_client('woken');
}

sub build {
  return { mark => $start{mark}, supervisor => $$, script => $pid || 0, work => $start{work} };
}

# Nobody has fetched anything for a long time.
sub abandon {
  for (1 .. 20) { last unless signal_build(build(), 'KILL'); select undef, undef, undef, 0.1 }
  leave();
}

sub leave {
  remove_files();
  POSIX::_exit(0);
}

sub say_to_client {
  my ($type, $payload) = @_;
  return unless $client;
  $payload = '' unless defined $payload;
  $client->{out} .= "$type " . length($payload) . "\n$payload";
  $quiet = 0;
}

# Puts the next piece of output, or the end of the script, into the client's queue.
sub queue_output {
  return if $client->{out} ne '' || $released;
  my $waiting = $base + length($kept) - $sent;
  if ($waiting > 0) {
    my $length = $waiting < PIECE ? $waiting : PIECE;
    say_to_client('output', substr($kept, $sent - $base, $length));
    $sent += $length;
  } elsif (defined $status && !$client->{told}) {
    $client->{told} = 1;
    say_to_client('ended', "$status $left");
  }
}

sub read_terminal {
  my ($room) = @_;
  my $most = $room < PIECE ? $room : PIECE;
  for (my $read = 0; $read < $most;) {
    my $got = sysread($master, $kept, $most - $read, length $kept);
    return unless $got;
    ($unheard, $look) = (0, $start{quiet});
    $read += $got;
  }
}

sub reap {
  while ((my $gone = waitpid(-1, POSIX::WNOHANG())) > 0) {
    next unless defined $pid && $gone == $pid && !defined $status;
    my $code = $? & 127 ? 128 + ($? & 127) : $? >> 8;
    read_terminal(TAIL);
    $status = $code;
    $left = signal_build(build(), '0');
    remove_files();
  }
}

sub remove_files {
  unlink $start{file};
  remove_secrets($start{secrets});
}

sub accept_stranger {
  accept(my $socket, $listener) or return;
  nonblocking($socket);
  setsockopt($socket, IPPROTO_TCP, TCP_NODELAY, 1);
  # The host says who it is at once, so of too many the oldest is dropped.
  if (keys %strangers >= STRANGERS) {
    my ($oldest) = sort { $strangers{$a}{number} <=> $strangers{$b}{number} } keys %strangers;
    delete $strangers{$oldest};
  }
  $accepted += 1;
  $strangers{fileno $socket} = { socket => $socket, number => $accepted, in => '', out => '', age => 0 };
}

# The first frame of a connection has to be `follow` with the token.
sub greet {
  my ($stranger) = @_;
  my $key = fileno $stranger->{socket};
  my $got = sysread($stranger->{socket}, $stranger->{in}, 65536, length $stranger->{in});
  return if !defined $got && ($!{EAGAIN} || $!{EINTR});
  my ($type, $payload) = $got && length $stranger->{in} <= 65536 ? take_frame($stranger) : ('stop');
  return unless defined $type;
  delete $strangers{$key};
  return if $type ne 'follow';
  my ($token, $offset) = fields($payload);
  return unless defined $offset && $token eq $start{token} && $offset =~ /\A[0-9]{1,15}\z/;
  return if $offset < $base || $offset > $base + length $kept;
  $client = $stranger;
  $sent = $offset;
  # The last acknowledgment may have been lost with its connection.
  forget($offset);
  say_to_client('session', join "\0", $boot, $$, $terminal, '');
  tell_start();
  handle_frames();
}

sub tell_start {
  say_to_client('refused', join ' ', @failure) if @failure;
  say_to_client('begun', $pid) if defined $pid;
}

# Returns type and payload of the next complete frame, () if there is none yet, and 'stop' for anything else.
sub take_frame {
  my ($connection) = @_;
  my $end = index($connection->{in}, "\n");
  return $end < 0 && length $connection->{in} > 64 ? ('stop') : () if $end < 0;
  my ($type, $length) = substr($connection->{in}, 0, $end) =~ /\A([a-z]{1,16}) ([0-9]{1,4})\z/ or return ('stop');
  return () if length $connection->{in} < $end + 1 + $length;
  my $payload = substr($connection->{in}, $end + 1, $length);
  substr($connection->{in}, 0, $end + 1 + $length, '');
  return ($type, $payload);
}

sub drop_client {
  undef $client;
  $idle = 0;
  leave() if $released || @failure;
}

sub flush_client {
  my $wrote = syswrite($client->{socket}, $client->{out}, 262144);
  if (defined $wrote) { substr($client->{out}, 0, $wrote, '') }
  elsif (!$!{EAGAIN} && !$!{EINTR}) { drop_client() }
}

sub read_client {
  my $got = sysread($client->{socket}, $client->{in}, 65536, length $client->{in});
  return if !defined $got && ($!{EAGAIN} || $!{EINTR});
  return drop_client() unless $got;
  handle_frames();
}

sub handle_frames {
  while ($client) {
    my ($type, $payload) = take_frame($client);
    return unless defined $type;
    if ($type eq 'ack' && $payload =~ /\A[0-9]{1,15}\z/) { forget($payload) }
    elsif ($type eq 'begin') { begin() }
    elsif ($type eq 'signal' && $payload =~ /\A(?:0|TERM|KILL)\z/) {
      say_to_client('signaled', signal_build(build(), $payload));
    }
    elsif ($type eq 'release') { release() }
    else { return drop_client() }
  }
}

sub forget {
  my ($offset) = @_;
  return if $offset <= $base || $offset > $sent;
  substr($kept, 0, $offset - $base, '');
  $base = $offset;
}

sub begin {
  return if defined $pid || @failure;
  my ($started, @problem) =
    launch(%start, script => $script, service => \@service, variables => \@variables, terminal => $terminal);
  ($script, @variables) = ('');
  if ($started) { $pid = $started } else { @failure = @problem }
  tell_start();
}

# No more output is wanted. The supervisor stays, because it can find the processes of the build.
sub release {
  $released = 1;
  ($kept, $base, $sent) = ('', 0, 0);
  close $slave;
  close $master;
  $status = 0 unless defined $status;
}
