# Makes the home folder what it was in the image, except for its caches. Input: what capture-home.pl has sent, then
# `simulators` (`keep`, or `empty` when they could not be erased), `keep` (folders that stay), `work` (folders that are
# emptied) and `end`. Output: `done` with the number of files that were deleted, restored, and that differ from the image
# because their contents are not known.
use strict;
use warnings;
use POSIX ();

my (%entry, @order, %content, %labels, %place_names, %volumes, %keep, @work);
my ($crontab, $simulators) = ('', 'keep');
my $image_home;

# A newer host may send more than this program knows; this one sends nothing else.
my %receive = (
  home => sub { (my $version, $image_home) = fields($_[0]) },
  labels => sub { $labels{$_} = 1 for fields($_[0]) },
  crontab => sub { $crontab = $_[0] },
  volumes => sub { $volumes{$_} = 1 for fields($_[0]) },
  place => sub { my ($place, @names) = fields($_[0]); $place_names{$place} = { map { $_ => 1 } @names } },
  simulators => sub { $simulators = $_[0] },
  keep => sub { $keep{$_} = 1 for fields($_[0]) },
  work => sub { @work = fields($_[0]) },
  content => sub { my ($path, $bytes) = split /\0/, $_[0], 2; $content{$path} = $bytes },
  entries => sub {
    my @fields = fields($_[0]);
    while (@fields) {
      my ($type, $mode, $size, $mtime, $path) = split / /, shift @fields, 5;
      $entry{$path} = [$type, oct $mode, $size, $mtime, $type eq 'l' ? shift @fields : undef];
      push @order, $path;
    }
  },
);
while (1) {
  my ($type, $payload) = receive_frame();
  last if $type eq 'end';
  fail('bad_input', "unexpected frame: $type") unless $receive{$type};
  $receive{$type}->($payload);
}
enter_home();
fail('other_image', "the image's home folder was another one") unless defined $image_home && $image_home eq home();

my ($deleted, $restored, $differ) = (0, 0, 0);
my @stubborn;

sub absolute {
  my ($path) = @_;
  return $path =~ m{\A/} ? $path : home() . "/$path";
}

# The login keychain belongs to this guest alone: it has the password of the guest's user.
my $keychain = qr{\ALibrary/Keychains/login\.keychain(?:-db)?\z};

sub is_kept {
  my ($path) = @_;
  return 1 if $path =~ $keychain;
  return $keep{ absolute($path) };
}

# Deletes a path of any type. Permissions of folders are restored first; links are not followed.
sub remove {
  my ($path) = @_;
  my $mode = (lstat $path)[2];
  return unless defined $mode;
  if (type_of($mode) eq 'd') {
    chmod 0700, $path if ($mode & 0700) != 0700;
    remove("$path/$_") for @{ names($path) || [] };
    return if rmdir $path;
  }
  elsif (unlink $path) {
    $deleted++;
    return;
  }
  push @stubborn, $path;
}

# Deletes what is locked, owned by root, or a mount point. Folders come after their contents: the last are the outermost.
sub remove_stubborn {
  for my $path (reverse @stubborn) {
    my $absolute = absolute($path);
    next unless lstat $absolute;
    output_of('sudo', '-n', '/sbin/umount', '-f', $absolute);
    output_of('sudo', '-n', 'chflags', '-R', '-P', 'nouchg,noschg,nouappnd,nosappnd', $absolute);
    output_of('sudo', '-n', 'chmod', '-R', '-P', '-N', $absolute);
    output_of('sudo', '-n', 'rm', '-rf', $absolute);
    fail('left', "cannot delete $absolute") if lstat $absolute;
    $deleted++;
  }
  @stubborn = ();
}

# Deletes or repairs what is in a folder of the home, '' for the home itself.
sub clean {
  my ($folder) = @_;
  my $listed = names($folder eq '' ? '.' : $folder);
  if (!defined $listed) {
    chmod 0700, $folder;
    $listed = names($folder) || [];
  }
  for my $name (@$listed) {
    my $path = $folder eq '' ? $name : "$folder/$name";
    my ($mode, $size, $mtime) = (lstat $path)[2, 7, 9];
    next if !defined $mode || is_kept($path);
    my $type = type_of($mode);
    my ($was, $was_mode, $was_size, $was_mtime, $target) = @{ $entry{$path} || [''] };
    if ($type eq 'd') {
      next if $was eq 'x';
      if (is_simulator_data($path)) {
        if ($simulators eq 'empty') { remove("$path/$_") for @{ names($path) || [] } }
      }
      elsif (is_cache($path)) { clean_cache($path) }
      elsif ($was eq 'd' || holds_cache($path)) { clean($path) }
      else { remove($path) }
    }
    elsif ($was ne $type || $type eq 'l' && readlink $path ne $target) { remove($path) }
    elsif ($type eq 'f' && ($size != $was_size || $mtime != $was_mtime)) {
      if (exists $content{$path}) { remove($path) }
      else { $differ++ }
    }
  }
}

sub clean_cache {
  my ($cache) = @_;
  for my $name (@{ names($cache) || [] }) {
    my $path = "$cache/$name";
    remove($path) if is_setting_in_cache($path) && !$entry{$path};
  }
}

sub write_file {
  my ($path, $bytes, $mtime) = @_;
  my $new = "$path.cidermill-$$";
  open(my $file, '>:raw', $new) or fail_call($new);
  print $file $bytes or fail_call($new);
  close $file or fail_call($new);
  utime $mtime, $mtime, $new;
  rename $new, $path or fail_call($path);
}

sub restore {
  for my $path (@order) {
    next if $path =~ $keychain;
    my ($type, $mode, $size, $mtime, $target) = @{ $entry{$path} };
    my $found = (lstat $path)[2];
    if (!defined $found) {
      if ($type eq 'd') { mkdir $path, 0700 or fail_call($path) }
      elsif ($type eq 'l') { symlink $target, $path or fail_call($path) }
      elsif ($type eq 'f' && exists $content{$path}) { write_file($path, $content{$path}, $mtime) }
      else { $differ++ if $type eq 'f'; next }
      $restored++;
      $found = -1;
    }
    chmod $mode, $path if $type =~ /\A[df]\z/ && ($found & 07777) != $mode;
  }
}

# Empties a folder of builds, or deletes what is in place of it or of a folder above it: a link would lead elsewhere.
sub empty_work {
  my ($folder) = @_;
  my ($shared) = grep { index($folder, "$_/") == 0 } shared_places();
  my $path = defined $shared ? $shared : '';
  for my $name (split m{/}, substr($folder, length($path) + 1)) {
    $path .= "/$name";
    my $mode = (lstat $path)[2];
    return unless defined $mode;
    return remove($path) if type_of($mode) ne 'd';
    chmod 0700, $path if defined $shared && !defined names($path);
  }
  remove("$folder/$_") for @{ names($folder) || [] };
}

# Deletes the user's files in a folder that all users share.
sub clean_place {
  my ($place, $known) = @_;
  for my $name (@{ names($place) || [] }) {
    my $path = "$place/$name";
    next if $known->{$name} || is_kept($path) || grep { index("$_/", "$path/") == 0 } keys %keep, @work;
    # Sockets and logs of the system, also those of the user's session.
    next if $name =~ /\A\.?com\.apple\.|\Atart-guest-agent/;
    my $uid = (lstat $path)[4];
    remove($path) if defined $uid && $uid == $<;
  }
}

sub restore_crontab {
  return if crontab_text() eq $crontab;
  if ($crontab eq '') { output_of('crontab', '-r'); return }
  open(my $input, '|-', 'crontab', '-') or fail_call('crontab');
  print $input $crontab;
  close $input or fail('crontab', 'the crontab cannot be restored');
}

end_processes(\%labels);
output_of('hdiutil', 'detach', '-force', "/Volumes/$_") for grep { !$volumes{$_} } volumes();
empty_work($_) for @work;
clean('');
clean_place($_, $place_names{$_}) for keys %place_names;
for my $name (qw(DARWIN_USER_TEMP_DIR DARWIN_USER_CACHE_DIR)) {
  my ($folder) = output_of('getconf', $name);
  clean_place($folder =~ s{/\z}{}r, {}) if defined $folder && $folder =~ m{\A/(?:private/)?var/folders/.};
}
remove_stubborn();
restore();
restore_crontab();
if (open(my $pasteboard, '|-', 'pbcopy')) { close $pasteboard }
# The daemons may have written their settings back meanwhile.
end_processes(\%labels);
finish(join '', map { "$_\0" } $deleted, $restored, $differ);
