package LumeVms;
# `lume ls`, `get`, `set` and `delete`: machines and their settings; and how lume reports.
use strict;
use warnings;
use Fcntl qw(:flock);
use TartVms;
use Home;

# lume's log goes to standard output.
sub note {
    my ($level, $message) = @_;
    my %order = (debug => 0, info => 1, error => 2);
    return if $order{$level} < $order{ $ENV{LUME_LOG_LEVEL} // 'info' };
    print '[' . TartVms::timestamp(time) . '] ' . uc($level) . ": $message\n";
}

# Errors are logged with a text without information, and printed as the name of their case.
sub fail {
    my ($what, $error) = @_;
    my ($case) = $error =~ /^([a-z]\w*)(?:\(|$)/;
    note(error => "$what error=" . (defined $case ? 'The operation couldn’t be completed. (lume.VMError error 1.)' : $error));
    print STDERR "Error: $error\n";
    exit 1;
}

sub storage_folder {
    my ($storage) = @_;
    return $Home::home if !defined $storage || $storage eq 'home';
    fail('storage', "locationNotFound(name: \"$storage\")") unless $storage =~ m{/};
    (my $folder = $storage) =~ s{/$}{};
    return $folder;
}

sub is_initialized { my ($folder) = @_; return -e "$folder/config.json" && -e "$folder/disk.img" && -e "$folder/nvram.bin" }

sub existing {
    my ($what, $storage, $name) = @_;
    my $folder = storage_folder($storage) . "/$name";
    fail($what, "notFound(\"$name\")") unless $name ne '' && is_initialized($folder);
    return $folder;
}

# The lock that `run` holds on config.json; undef: somebody else holds it.
sub take_lock {
    my ($folder) = @_;
    open my $file, '+<', "$folder/config.json" or die "config.json: $!\n";
    return flock($file, LOCK_EX | LOCK_NB) ? $file : undef;
}

# Whether lume says that it runs: from the marker of the session, and whether its process has config.json open.
sub says_running {
    my ($folder) = @_;
    my ($pid) = (Home::slurp("$folder/sessions.json") // '') =~ /"pid" : (\d+)/ or return 0;
    return 0 if defined Home::fault('liveness-unknown');
    my ($device, $inode) = stat "$folder/config.json";
    for my $open (glob "/proc/$pid/fd/*") {
        my ($its_device, $its_inode) = stat $open or next;
        return 1 if $its_device == $device && $its_inode == $inode;
    }
    note(info => 'Cleaned up stale VNC-disabled session marker');
    unlink "$folder/sessions.json";
    return 0;
}

sub address { my ($folder) = @_; return Home::slurp("$Home::own/leases/" . Home::setting($folder, 'macAddress')) }

sub quoted { my ($text) = @_; return 'null' unless defined $text; $text =~ s/(["\\\/])/\\$1/g; return "\"$text\"" }

sub described {
    my ($storage, $name) = @_;
    my $folder = storage_folder($storage) . "/$name";
    my $runs = says_running($folder);
    my $address = $runs ? address($folder) : undef;
    require IO::Socket::INET if defined $address;
    my $ssh = defined $address && IO::Socket::INET->new(PeerAddr => $address, PeerPort => 22, Timeout => 1);
    my $used = Home::slurp("$folder/.used-bytes") // 0;
    my %members = (
        name => quoted($name), os => '"macOS"', cpuCount => Home::setting($folder, 'cpuCount'), memorySize => Home::setting($folder, 'memorySize'),
        diskSize => "{\n      \"allocated\" : $used,\n      \"total\" : " . (-s "$folder/disk.img") . "\n    }",
        display => '"1024x768"', status => $runs ? '"running"' : '"stopped"', provisioningOperation => 'null', vncUrl => 'null',
        ipAddress => quoted($address), sshAvailable => defined $address ? ($ssh ? 'true' : 'false') : 'null',
        locationName => quoted($storage // 'home'), sharedDirectories => 'null', networkMode => '"nat"', downloadProgress => 'null',
    );
    my @order = sort { rand() <=> 0.5 } sort keys %members;
    return "  {\n" . join(",\n", map { "    \"$_\" : $members{$_}" } @order) . "\n  }";
}

sub show {
    my ($options, @names) = @_;
    my $format = $options->{format} // 'text';
    main::invalid("The value '$format' is invalid for '--format <format>'", 'ls') unless $format =~ /^(text|json)$/;
    my @objects = map { described($options->{storage}, $_) } @names;
    if ($format eq 'json') { print @objects ? "[\n" . join(",\n", @objects) . "\n]\n" : "[\n\n]\n" }
    else { print @names ? join("\n", 'name os cpu memory disk', @names) . "\n" : "No virtual machines found\n" }
    return 0;
}

sub ls {
    my ($options) = @_;
    my $hangs = Home::fault('list-hangs');
    sleep $hangs if $hangs;
    my $folder = storage_folder($options->{storage});
    return show($options, map { (split m{/})[-1] } grep { is_initialized($_) } Home::entries($folder));
}

sub get {
    my ($options, $name) = @_;
    existing('Failed to get VM', $options->{storage}, $name);
    return show($options, $name);
}

sub bytes {
    my ($text, $option) = @_;
    my %factor = (tb => 1024**4, gb => 1024**3, mb => 1024**2, kb => 1024, b => 1);
    my ($number, $unit) = lc($text) =~ /^([0-9.]+)(tb|gb|mb|kb|b)?$/ or main::invalid("Malformed size input: $text. Could not parse numeric value.", 'set');
    return int($number * $factor{ $unit // 'gb' });
}

sub set {
    my ($options, $name) = @_;
    my $size = defined $options->{'disk-size'} ? bytes($options->{'disk-size'}) : undef;
    my $memory = defined $options->{memory} ? bytes($options->{memory}) : undef;
    main::invalid("The value '$options->{cpu}' is invalid for '--cpu <cpu>'", 'set') if ($options->{cpu} // 1) !~ /^\d+$/;
    my $folder = existing('Failed to update VM settings', $options->{storage}, $name);
    fail('Failed to update VM settings', "alreadyRunning(\"$name\")") if says_running($folder);
    Home::change_setting($folder, 'cpuCount', $options->{cpu}) if defined $options->{cpu};
    Home::change_setting($folder, 'memorySize', $memory) if defined $memory;
    return 0 unless defined $size;
    my $now = -s "$folder/disk.img";
    fail('Failed to update VM settings', "Cannot shrink the disk (current $now bytes, requested $size bytes). Only growing is supported; the disk was not modified.") if $size < $now;
    truncate "$folder/disk.img", $size or fail('Failed to update VM settings', "$!");
    return 0;
}

sub delete {
    my ($options, $name) = @_;
    if (!$options->{force}) {
        print "Are you sure you want to delete the virtual machine '$name'? [y/N] ";
        my $answer = lc(<STDIN> // '');
        if ($answer !~ /^y(es)?$/) { print "Deletion cancelled\n"; return 0 }
    }
    my $folder = existing('Failed to delete VM', $options->{storage}, $name);
    Home::spew("$folder/../.$name.resize.guard", '');
    fail('Failed to delete VM', "Cannot modify $name: the VM is running. Stop it first.") unless take_lock($folder);
    system('rm', '-rf', '--', $folder) == 0 or fail('Failed to delete VM', "“$name” couldn’t be removed.");
    return 0;
}

1;
