# A pseudo-terminal, with the requests of macOS and Linux that other languages hide in their libraries.
use strict;
use warnings;
use Fcntl qw(F_GETFL F_SETFL O_NONBLOCK O_NOCTTY O_RDWR);
use POSIX ();

# Returns both ends (the first does not block) and the name of the second. Output is passed on unchanged: no CR before LF.
sub open_terminal {
  my ($rows, $columns) = @_;
  my $mac = $^O eq 'darwin';
  sysopen(my $master, '/dev/ptmx', O_RDWR | O_NOCTTY) or fail_call('/dev/ptmx');
  my $name;
  if ($mac) {
    # TIOCPTYGRANT, TIOCPTYUNLK, TIOCPTYGNAME
    ioctl($master, 0x20007454, 0) or fail_call('grantpt');
    ioctl($master, 0x20007452, 0) or fail_call('unlockpt');
    my $buffer = "\0" x 128;
    ioctl($master, 0x40807453, $buffer) or fail_call('ptsname');
    ($name) = $buffer =~ /\A([^\0]+)/;
  } else {
    # TIOCSPTLCK, TIOCGPTN
    my $number = pack 'i', 0;
    ioctl($master, 0x40045431, $number) or fail_call('unlockpt');
    ioctl($master, 0x80045430, $number) or fail_call('ptsname');
    $name = '/dev/pts/' . unpack 'i', $number;
  }
  sysopen(my $slave, $name, O_RDWR | O_NOCTTY) or fail_call($name);
  # TIOCSWINSZ
  my $size = pack 'S4', $rows, $columns, 0, 0;
  ioctl($slave, $mac ? 0x80087467 : 0x5414, $size) or fail_call('window size');
  my $settings = POSIX::Termios->new;
  $settings->getattr(fileno $slave);
  $settings->setoflag($settings->getoflag & ~POSIX::OPOST());
  $settings->setlflag($settings->getlflag & ~POSIX::ECHO());
  $settings->setattr(fileno $slave, POSIX::TCSANOW());
  has_no_input($slave);
  fcntl($master, F_SETFL, fcntl($master, F_GETFL, 0) | O_NONBLOCK) or fail_call('fcntl');
  return ($master, $slave, $name);
}

# A read returns the end of input at once.
sub has_no_input {
  my ($slave) = @_;
  my $settings = POSIX::Termios->new;
  $settings->getattr(fileno $slave) or return;
  $settings->setlflag($settings->getlflag & ~POSIX::ICANON());
  $settings->setcc($_, 0) for POSIX::VMIN(), POSIX::VTIME();
  $settings->setattr(fileno $slave, POSIX::TCSANOW());
}

# A program has changed that.
sub waits_for_keys {
  my ($slave) = @_;
  my $settings = POSIX::Termios->new;
  $settings->getattr(fileno $slave) or return 0;
  return ($settings->getlflag & POSIX::ICANON()) || $settings->getcc(POSIX::VMIN()) > 0;
}
1;
