# Frames, and how a program reports its end. The first part of every other Perl program here.
use strict;
use warnings;
use Errno ();

$SIG{PIPE} = 'IGNORE';

our $in = '';

# Writes all bytes; exits when the host has closed the connection.
sub send_bytes {
  my ($bytes) = @_;
  for (my $at = 0; $at < length $bytes;) {
    my $sent = syswrite(STDOUT, $bytes, length($bytes) - $at, $at);
    next if !defined $sent && $!{EINTR};
    exit 1 unless defined $sent;
    $at += $sent;
  }
}

sub send_frame {
  my ($type, $payload) = @_;
  $payload = '' unless defined $payload;
  send_bytes("$type " . length($payload) . "\n$payload");
}

# Reports an error of the program and exits.
sub fail {
  my ($code, $message) = @_;
  send_frame('failed', "$code $message");
  exit 0;
}

# The name of the last system error, such as ENOSPC.
sub error_name {
  for my $name (sort keys %!) { return $name if $!{$name} }
  return 'unknown';
}

# Reports a failed system call and exits.
sub fail_call {
  my ($what) = @_;
  my ($name, $text) = (error_name(), "$!");
  fail($name, "$what: $text");
}

sub finish {
  my ($payload) = @_;
  send_frame('done', $payload);
  exit 0;
}

# Reads until $in has at least $want bytes; exits when the host has closed the connection.
sub fill {
  my ($want) = @_;
  while (length $in < $want) {
    my $got = sysread(STDIN, $in, 262144, length $in);
    next if !defined $got && $!{EINTR};
    exit 1 unless $got;
  }
}

sub receive_frame {
  my $end;
  while (($end = index($in, "\n")) < 0) {
    exit 1 if length $in > 64;
    fill(length($in) + 1);
  }
  my ($type, $length) = substr($in, 0, $end) =~ /\A([a-z]+) ([0-9]+)\z/ or exit 1;
  fill($end + 1 + $length);
  my $payload = substr($in, $end + 1, $length);
  substr($in, 0, $end + 1 + $length, '');
  return ($type, $payload);
}

# Receives a frame of this type and returns its payload.
sub receive_only {
  my ($want) = @_;
  my ($type, $payload) = receive_frame();
  fail('bad_input', "got $type instead of $want") unless $type eq $want;
  return $payload;
}

# Returns what was read after the last frame.
sub rest_of_input {
  my $rest = $in;
  $in = '';
  return $rest;
}

# Splits a payload of fields that end with NUL.
sub fields {
  my ($payload) = @_;
  my @fields = split /\0/, $payload, -1;
  pop @fields;
  return @fields;
}
1;
