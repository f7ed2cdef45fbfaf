# The folders of builds: ROOT/work/SOURCE, ROOT/state/SOURCE (the service's state about it; its modification time is that of
# the last use), ROOT/tmp, and ROOT/run/BUILD with the script and the artifacts of a build.
# In: `do` (what to do, ROOT, and its arguments). Out: `abandoned` (names of other builds in ROOT/run; nothing more is
# prepared then). Done: free bytes, then name and time of last use of each work folder.
use strict;
use warnings;

my $source_name = qr/\A[0-9a-f]{16}\z/;
my $run_name = qr/\A[A-Za-z0-9_][A-Za-z0-9_.-]{0,150}\z/;

my ($do, $root, @arguments) = fields(receive_only('do'));
fail('bad_input', 'the root is not valid') unless $root =~ m{\A/.*[^/]\z}s;
if ($do eq 'prepare') { prepare(@arguments) }
elsif ($do eq 'remove') { remove_path($root) }
elsif ($do eq 'remove_work') { remove_work($_) for @arguments }
elsif ($do eq 'remove_run') { remove_run($_) for @arguments }
elsif ($do ne 'disk') { fail('bad_input', "cannot $do") }
finish(join "\0", free_bytes(), work_folders(), '');

# Tools search for settings in the parents of the folder they work in, so anything else beside these folders would affect
# the builds of every source.
sub prepare {
  my ($source, $run, $now, $sweep) = @_;
  fail('bad_input', 'the names are not valid') unless $source =~ $source_name && $run =~ $run_name;
  open_parent();
  make_usable($root);
  my %known = map { $_ => 1 } qw(work state tmp run);
  make_usable("$root/$_") for sort keys %known;
  my @abandoned = grep { $_ =~ $run_name && $_ ne $run } names_in("$root/run");
  if (@abandoned && !$sweep) { send_frame('abandoned', join("\0", @abandoned, '')); return }
  for my $name (names_in($root)) { remove_path("$root/$name") unless $known{$name} }
  for my $kind ('work', 'state') {
    for my $name (names_in("$root/$kind")) { remove_path("$root/$kind/$name") unless $name =~ $source_name }
    make_usable("$root/$kind/$source");
  }
  utime $now, $now, "$root/state/$source" or fail_call('utime');
  # Of builds that were lost.
  remove_path("$root/run/$_") for names_in("$root/run");
  for ("$root/run/$run", "$root/run/$run/artifacts") { mkdir $_, 0700 or fail_call($_) }
}

# With sudo a build can close or delete the folder that everybody may write to.
sub open_parent {
  my ($parent) = $root =~ m{\A(.+)/[^/]+\z} or return;
  return if -d $parent && -w _ && -x _;
  quietly('sudo', '-n', 'mkdir', '-p', $parent);
  quietly('sudo', '-n', 'chmod', '1777', $parent);
}

sub remove_work {
  my ($name) = @_;
  fail('bad_input', "$name is not the name of a work folder") unless $name =~ $source_name;
  remove_below($_, $name) for 'state', 'work';
}

sub remove_run {
  my ($name) = @_;
  fail('bad_input', "$name is not the name of a build") unless $name =~ $run_name;
  remove_below('run', $name);
}

sub remove_below {
  my ($kind, $name) = @_;
  remove_path("$root/$kind/$name") if is_folder($root) && is_folder("$root/$kind");
}

sub work_folders {
  return () unless is_folder($root) && is_folder("$root/work");
  return map { ($_, is_folder("$root/state/$_") ? (lstat _)[9] : 0) } grep { $_ =~ $source_name } names_in("$root/work");
}

sub free_bytes {
  my $place = is_folder($root) ? $root : '/';
  open(my $lines, '-|', 'df', '-Pk', $place) or fail_call('df');
  my @lines = <$lines>;
  close $lines;
  my ($kilobytes) = ($lines[-1] || '') =~ /\s(\d+)\s+\d+%/ or fail('df', 'the free space cannot be read');
  return $kilobytes * 1024;
}
