# Connects standard input and output with the supervisor of a build.
use strict;
use warnings;
use Socket qw(AF_INET INADDR_LOOPBACK IPPROTO_TCP SOCK_STREAM TCP_NODELAY pack_sockaddr_in);

# Copies both ways until one side ends.
sub follow {
  my ($port) = @_;
  socket(my $socket, AF_INET, SOCK_STREAM, 0) or fail_call('socket');
  connect($socket, pack_sockaddr_in($port, INADDR_LOOPBACK)) or fail('gone', boot_id());
  setsockopt($socket, IPPROTO_TCP, TCP_NODELAY, 1);
  my $pass = sub {
    my ($to, $bytes) = @_;
    for (my $at = 0; $at < length $bytes;) {
      my $sent = syswrite($to, $bytes, length($bytes) - $at, $at);
      next if !defined $sent && $!{EINTR};
      exit 1 unless defined $sent;
      $at += $sent;
    }
  };
  $pass->($socket, rest_of_input());
  while (1) {
    my $readable = '';
    vec($readable, 0, 1) = 1;
    vec($readable, fileno $socket, 1) = 1;
    next if select($readable, undef, undef, undef) < 0;
    for ([*STDIN, $socket], [$socket, *STDOUT]) {
      my ($from, $to) = @$_;
      next unless vec($readable, fileno $from, 1);
      my $got = sysread($from, my $bytes, 262144);
      next if !defined $got && $!{EINTR};
      exit 0 unless $got;
      $pass->($to, $bytes);
    }
  }
}

# A text that changes when the system is started again.
sub boot_id {
  my $id = `sysctl -n kern.bootsessionuuid 2>/dev/null`;
  if ($id !~ /\S/ && open my $file, '<', '/proc/sys/kernel/random/boot_id') { $id = <$file> }
  chomp $id;
  return $id;
}
1;
