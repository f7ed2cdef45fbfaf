# Closes a fresh guest to everybody but its host: a password that nobody knows, and no login by password.
# Input: `settings` (password, authorized key, host key; the keys are empty where the host does not use ssh).
# Done: nothing.
use strict;
use warnings;

my ($password, $authorized_key, $host_key) = fields(receive_only('settings'));
my ($user, $home) = (getpwuid $<)[0, 7];
fail('bad_user', 'the user of the guest has an unusual name') unless $user =~ /\A[A-Za-z_][A-Za-z0-9_.-]*\z/;

# Runs a command with this input; returns whether it succeeded, and what it printed.
sub run {
  my ($input, @command) = @_;
  pipe(my $stdin, my $to) && pipe(my $from, my $stdout) or fail_call('pipe');
  my $pid = fork;
  fail_call('fork') unless defined $pid;
  if (!$pid) {
    open STDIN, '<&', $stdin;
    open STDOUT, '>&', $stdout;
    open STDERR, '>&', $stdout;
    close $_ for $stdin, $to, $from, $stdout;
    exec { $command[0] } @command or exit 127;
  }
  close $stdin;
  close $stdout;
  syswrite $to, $input;
  close $to;
  my ($said, $got) = ('', 1);
  while ($got) { $got = sysread $from, $said, 4096, length $said }
  waitpid $pid, 0;
  $said =~ s/\s+\z//;
  return ($? == 0, substr $said, 0, 500);
}

sub must {
  my ($what, $input, @command) = @_;
  my ($worked, $said) = run($input, @command);
  fail('failed', "$what: $said") unless $worked;
}

sub root { return ('sudo', '-n', @_) }

# Replaces a file of the system at once.
sub write_file {
  my ($path, $mode, $content) = @_;
  my $script = 'umask 077; mkdir -p "${1%/*}" && cat > "$1.new" && chmod "$2" "$1.new" && mv -f "$1.new" "$1"';
  must("writing $path", $content, root('/bin/sh', '-c', $script, 'sh', $path, $mode));
}

# The user of an image that asks for a password gets sudo without one, which a build could not answer.
sub allow_sudo {
  my ($already) = run('', root('true'));
  return if $already;
  my $script = 'umask 077; f=/etc/sudoers.d/cidermill; mkdir -p /etc/sudoers.d && printf "%s\n" "$1" > "$f.new" && '
    . 'visudo -cf "$f.new" && chmod 440 "$f.new" && mv -f "$f.new" "$f"';
  my $rule = "$user ALL=(ALL) NOPASSWD: ALL";
  my ($worked, $said) = run("$password\n", 'sudo', '-S', '-p', '', '/bin/sh', '-c', $script, 'sh', $rule);
  fail('no_sudo', "$user may not use sudo with the password of the configuration: $said") unless $worked;
}

# The host's key lies outside the home folder: a build may empty that, or open it to everybody, which sshd refuses.
sub close_ssh {
  my $config = "PasswordAuthentication no\nKbdInteractiveAuthentication no\n";
  if ($authorized_key ne '') {
    write_file('/etc/ssh/cidermill_keys', '644', $authorized_key);
    write_file('/etc/ssh/cidermill_host_key', '600', $host_key);
    $config .= "AuthorizedKeysFile .ssh/authorized_keys /etc/ssh/cidermill_keys\n"
      . "HostKey /etc/ssh/cidermill_host_key\n";
  }
  # Of several values sshd takes the first, so the name sorts before those of the system.
  write_file('/etc/ssh/sshd_config.d/000-cidermill.conf', '644', $config);
  my ($file, $all) = ('/etc/ssh/sshd_config', '');
  open my $handle, '<', $file or return;
  { local $/; $all = <$handle> }
  close $handle;
  return if $all =~ m{^\s*Include\s+/etc/ssh/sshd_config\.d/\*}mi;
  write_file($file, '644', "Include /etc/ssh/sshd_config.d/*\n$all");
}

sub new_password {
  open my $random, '<:raw', '/dev/urandom' or fail_call('/dev/urandom');
  sysread($random, my $bytes, 24) == 24 or fail_call('/dev/urandom');
  my @letters = ('a' .. 'z', 'A' .. 'Z', 0 .. 9, '-', '_');
  return join '', map { $letters[$_ % 64] } unpack 'C*', $bytes;
}

# The password with which the system logs the user in at boot. It must follow, or no session comes up again.
sub write_login_password {
  my ($new) = @_;
  return unless -e '/etc/kcpassword';
  my @key = (0x7d, 0x89, 0x52, 0x23, 0xd2, 0xbc, 0xdd, 0xea, 0xa3, 0xb9, 0x1f);
  my $plain = "$new\0";
  $plain .= "\0" while length($plain) % 12;
  my $at = 0;
  my $coded = join '', map { chr(ord($_) ^ $key[$at++ % @key]) } split //, $plain;
  write_file('/etc/kcpassword', '600', $coded);
}

# The login keychain is unlocked by the login at boot, so it needs the same password. One whose password is not known
# is made anew: there is nothing in that of a fresh image.
sub change_keychain {
  my ($new) = @_;
  my $keychain = "$home/Library/Keychains/login.keychain-db";
  return unless -e $keychain;
  my ($changed) = run('', 'security', 'set-keychain-password', '-o', $password, '-p', $new, $keychain);
  if (!$changed) {
    run('', 'security', 'delete-keychain', $keychain);
    must('login keychain', '', 'security', 'create-keychain', '-p', $new, $keychain);
    must('login keychain', '', 'security', 'default-keychain', '-d', 'user', '-s', $keychain);
    must('login keychain', '', 'security', 'login-keychain', '-d', 'user', '-s', $keychain);
    must('login keychain', '', 'security', 'list-keychains', '-d', 'user', '-s', $keychain);
    must('login keychain', '', 'security', 'set-keychain-settings', $keychain);
  }
  must('login keychain', '', 'security', 'unlock-keychain', '-p', $new, $keychain);
}

# The passwords are arguments of commands here: the old one is the image's, and no tenant has been in this guest yet.
sub change_password {
  my $marker = '/etc/ssh/cidermill_secured';
  return if -e $marker;
  my $new = new_password();
  my ($known) = run('', 'dscl', '.', '-authonly', $user, $password);
  my @change = ('dscl', '.', '-passwd', "/Users/$user");
  if ($known) { must('the password', '', @change, $password, $new) }
  else { must('the password', '', root(@change, $new)) }
  change_keychain($new);
  write_login_password($new);
  write_file($marker, '644', '');
}

allow_sudo();
close_ssh();
change_password();
finish();
