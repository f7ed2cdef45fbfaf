# Makes the login keychain anew: empty, unlocked, with the password with which macOS logs the user in at boot. Without
# automatic login a random one: the keychain then stays unlocked until the next boot.
use strict;
use warnings;
use POSIX ();

sub login_password {
  my @key = (0x7d, 0x89, 0x52, 0x23, 0xd2, 0xbc, 0xdd, 0xea, 0xa3, 0xb9, 0x1f);
  my $coded = join "\n", output_of('sudo', '-n', 'cat', '/etc/kcpassword');
  my $at = 0;
  my $plain = join '', map { chr(ord($_) ^ $key[$at++ % @key]) } split //, $coded;
  $plain =~ s/\0.*\z//s;
  return $plain if length $plain;
  open(my $random, '<:raw', '/dev/urandom') or fail_call('/dev/urandom');
  sysread($random, my $bytes, 24) == 24 or fail_call('/dev/urandom');
  return unpack 'H*', $bytes;
}

sub security {
  my @command = @_;
  my $output = join "\n", output_of('security', @command);
  fail('keychain', "security $command[0] failed") if $? != 0;
  return $output;
}

enter_home();
my $folder = home() . '/Library/Keychains';
my $keychain = "$folder/login.keychain-db";
my $password = login_password();
# Those that a build has made, or added to the list that is searched.
for my $file (glob "$folder/*.keychain-db $folder/*.keychain") { output_of('security', 'delete-keychain', $file) }
unlink $keychain;
# The tenant, whose password this is, has root in this guest: arguments need not hide it.
security('create-keychain', '-p', $password, $keychain);
security('list-keychains', '-d', 'user', '-s', $keychain);
security('login-keychain', '-d', 'user', '-s', $keychain);
security('default-keychain', '-d', 'user', '-s', $keychain);
security('unlock-keychain', '-p', $password, $keychain);
# No time limit: it would lock in the middle of a build.
security('set-keychain-settings', $keychain);
security('show-keychain-info', $keychain);
finish();
