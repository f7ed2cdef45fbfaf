package Home;
# The folder with the state of a stand-in, and the faults that a test sets.
use strict;
use warnings;
use Fcntl qw(:flock F_GETLK F_SETLK F_WRLCK F_RDLCK SEEK_SET O_RDWR O_CREAT O_WRONLY O_APPEND);

our ($home, $own);

# `$own` is the stand-in's: images that can be pulled, faults, leases, calls.
sub open_home {
    my ($folder) = @_;
    $home = $folder;
    $own = "$home/.stand-in";
    -d $_ or mkdir $_ for $home, $own, "$own/faults", "$own/leases", "$own/running", "$home/vms", "$home/cache", "$home/cache/OCIs",
        "$home/tmp";
}

# Whether the test that has made this host is gone, and the host with it: then its machines end by themselves.
sub abandoned {
    my ($folder) = @_;
    my ($owner) = (slurp("$home/../owner") // '') =~ /(\d+)/;
    return !-e "$folder/config.json" || defined $owner && !-d "/proc/$owner";
}

# Every call with its arguments: what a list of processes, a log or a trace would show.
sub note_call {
    sysopen my $calls, "$own/calls", O_WRONLY | O_CREAT | O_APPEND or die "calls: $!";
    syswrite $calls, join("\x1f", @_) . "\n";
}

sub slurp {
    my ($path) = @_;
    open my $file, '<', $path or return undef;
    local $/;
    my $text = <$file>;
    return defined $text ? $text : '';
}

sub spew {
    my ($path, $text) = @_;
    open my $file, '>', "$path.$$" or die "$path: $!\n";
    print {$file} $text;
    close $file or die "$path: $!\n";
    rename "$path.$$", $path or die "$path: $!\n";
}

# The parameter of a fault that the test has set, undef without it. `times=N` is used up.
sub fault {
    my ($name) = @_;
    my $path = "$own/faults/$name";
    my $text = slurp($path);
    return undef unless defined $text;
    if ($text =~ /\btimes=(\d+)/) {
        my $left = $1 - 1;
        if ($left > 0) { (my $next = $text) =~ s/\btimes=\d+/times=$left/; spew($path, $next) }
        else { unlink $path }
    }
    my ($value) = $text =~ /^value=(.*)$/m;
    return defined $value ? $value : '';
}

# Holds the lock of a file or folder until the handle is closed.
sub hold {
    my ($path, $waiting) = @_;
    open my $handle, '<', $path or die "$path: $!\n";
    return $handle if flock $handle, LOCK_EX | LOCK_NB;
    $waiting->() if $waiting;
    flock $handle, LOCK_EX or die "$path: $!\n";
    return $handle;
}

# struct flock of 64 bit Linux.
sub record_lock { pack 's s x4 q q i x4', $_[0], SEEK_SET, 0, 0, 0 }

# The process that runs the virtual machine in this folder, 0 without one.
sub pid_of {
    my ($folder) = @_;
    sysopen my $file, "$folder/config.json", O_RDWR or return 0;
    my $lock = record_lock(F_WRLCK);
    fcntl $file, F_GETLK, $lock or die "F_GETLK: $!\n";
    my ($type, $pid) = (unpack 's s x4 q q i', $lock)[0, 4];
    return $type == 2 ? 0 : $pid;
}

sub lock_pid {
    my ($folder) = @_;
    sysopen my $file, "$folder/config.json", O_RDWR or die "config.json: $!\n";
    my $lock = record_lock(F_WRLCK);
    return fcntl($file, F_SETLK, $lock) ? $file : undef;
}

sub complete { my ($folder) = @_; return -e "$folder/config.json" && -e "$folder/disk.img" && -e "$folder/nvram.bin" }

sub vm_folder { return "$home/vms/$_[0]" }

# Paths of what is in a folder.
sub entries {
    my ($folder) = @_;
    opendir my $entries, $folder or return ();
    return map { "$folder/$_" } sort grep { !/^\./ } readdir $entries;
}

sub vm_names { return map { (split m{/})[-1] } grep { complete($_) } entries("$home/vms") }

sub state {
    my ($folder) = @_;
    return pid_of($folder) ? 'running' : -e "$folder/state.vzvmsave" ? 'suspended' : 'stopped';
}

sub setting {
    my ($folder, $key) = @_;
    my ($value) = (slurp("$folder/config.json") // '') =~ /"\Q$key\E" *: *"?([^",}\n]*)/;
    return $value;
}

# In place: a replaced file would lose the lock of the running process.
sub change_setting {
    my ($folder, $key, $value) = @_;
    my $text = slurp("$folder/config.json");
    $text =~ s/("\Q$key\E" *: *)("?)[^",}\n]*("?)/$1$2$value$3/ or die "no $key in config.json\n";
    open my $file, '+<', "$folder/config.json" or die "config.json: $!\n";
    truncate $file, 0;
    print {$file} $text;
    close $file;
}

sub random_mac {
    open my $random, '<', '/dev/urandom' or die "urandom: $!\n";
    read $random, my $bytes, 6;
    my @parts = unpack 'C6', $bytes;
    $parts[0] = ($parts[0] & 0xfc) | 0x02;
    return join ':', map { sprintf '%02x', $_ } @parts;
}

# Sleeps for seconds, also a fraction of one; a signal ends it. Not Time::HiRes: to load a module would slow down every call.
sub pause { select undef, undef, undef, $_[0] }

# Copies with owners, modes and times, as cloning a disk gives them.
sub copy_trees {
    my ($to, @from) = @_;
    return unless @from;
    system('cp', '-a', '--', @from, $to) == 0 or die "Error: cp to $to failed\n";
}

1;
