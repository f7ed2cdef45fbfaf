package TartVms;
# `tart list`, `get`, `set` and `rename`: the machines and their settings.
use strict;
use warnings;
use Home;

# Errors that tart throws itself: a bare text and an exit code.
sub fail { my ($code, $message) = @_; print STDERR "$message\n"; exit $code }

sub existing {
    my ($name) = @_;
    my $folder = Home::vm_folder($name);
    fail(2, "the specified VM \"$name\" does not exist") unless $name ne '' && $name !~ m{/} && -d $folder;
    fail(1, 'VM is missing files for a supported layout: standalone requires config.json, disk.img and nvram.bin; '
        . 'stacked requires config.json, manifest.json, overlay.asif and nvram.bin') unless Home::complete($folder);
    utime undef, undef, $folder;
    return $folder;
}

sub quoted { my ($text) = @_; $text =~ s/(["\\\/])/\\$1/g; return "\"$text\"" }

# JSON as Foundation prints it: spaces before colons, escaped slashes, members in no order.
sub object {
    my ($indent, %members) = @_;
    my @order = sort { rand() <=> 0.5 } sort keys %members;
    return "{\n" . join(",\n", map { "$indent  \"$_\" : $members{$_}" } @order) . "\n$indent}";
}

sub gigabytes { return int($_[0] / 1e9) }
sub disk_bytes { return -s "$_[0]/disk.img" }
# Used bytes of the disk. The image contains this number, since the disk file itself is empty.
sub used_bytes { my $text = Home::slurp("$_[0]/.used-bytes"); return defined $text ? $text + 0 : 0 }

sub described {
    my ($source, $name, $folder) = @_;
    my $state = Home::state($folder);
    my $running = $state eq 'running' ? 'true' : 'false';
    my %new = (Accessed => quoted(timestamp((stat $folder)[9])), State => quoted($state));
    my %old = (SizeOnDisk => gigabytes(used_bytes($folder)));
    return (
        Source => quoted($source), Name => quoted($name), Disk => gigabytes(disk_bytes($folder)),
        Size => gigabytes(used_bytes($folder)), Running => $running, old_version() ? %old : %new,
    );
}

sub timestamp {
    my ($second, $minute, $hour, $day, $month, $year) = gmtime $_[0];
    return sprintf '%04d-%02d-%02dT%02d:%02d:%02dZ', $year + 1900, $month + 1, $day, $hour, $minute, $second;
}

# Versions before 2.31 have neither State nor Accessed.
sub old_version { my ($minor) = $main::version =~ /^\d+\.(\d+)/; return $minor < 31 }

sub list {
    my ($options) = @_;
    my $source = $options->{source} // 'all';
    main::invalid("'$source' is not a valid <source>", 'list') unless $source =~ /^(all|local|oci)$/;
    my $format = $options->{format} // 'text';
    main::invalid("The value '$format' is invalid for '--format <format>'", 'list') unless $format =~ /^(text|json)$/;
    my $hangs = Home::fault('list-hangs');
    sleep $hangs if $hangs;
    my @entries;
    if ($source ne 'oci') { push @entries, map { [local => $_, Home::vm_folder($_)] } Home::vm_names() }
    if ($source ne 'local') {
        require TartImages;
        push @entries, map { [OCI => @$_] } TartImages::cached();
    }
    if ($options->{quiet}) { print "$_->[1]\n" for @entries }
    elsif ($format eq 'json') {
        my @objects = map { '  ' . object('  ', described(@$_)) } @entries;
        print @objects ? "[\n" . join(",\n", @objects) . "\n]\n" : "[\n\n]\n";
    }
    else {
        print "Source Name Disk Size Accessed State\n" if @entries;
        for my $entry (@entries) {
            my %of = described(@$entry);
            print join(' ', $entry->[0], $entry->[1], "$of{Disk} GB", "$of{Size} GB", '1 minute ago', Home::state($entry->[2])), "\n";
        }
    }
    return 0;
}

sub get {
    my ($options, $name) = @_;
    my $folder = existing($name);
    my $state = Home::state($folder);
    my %members = (
        OS => quoted(Home::setting($folder, 'os')), CPU => Home::setting($folder, 'cpuCount'),
        Memory => int(Home::setting($folder, 'memorySize') / 1024 / 1024), Disk => gigabytes(disk_bytes($folder)),
        DiskFormat => '"raw"', Size => quoted(sprintf '%.3f', used_bytes($folder) / 1e9), Display => '"1024x768"',
        Running => $state eq 'running' ? 'true' : 'false', State => quoted($state),
    );
    delete @members{qw(State DiskFormat)} if old_version();
    my $format = $options->{format} // 'text';
    main::invalid("The value '$format' is invalid for '--format <format>'", 'get') unless $format =~ /^(text|json)$/;
    print $format eq 'json' ? object('', %members) . "\n" : join("\t", map { "$_ $members{$_}" } sort keys %members) . "\n";
    return 0;
}

sub set {
    my ($options, $name) = @_;
    for my $number (grep { exists $options->{$_} } qw(cpu memory disk-size)) {
        next if $options->{$number} =~ /^\d+$/ && $options->{$number} < 65536 * ($number eq 'memory' ? 1024 : 1);
        main::invalid("The value '$options->{$number}' is invalid for '--$number <$number>'", 'set');
    }
    my $folder = existing($name);
    if (defined(my $cpu = $options->{cpu})) {
        my $least = Home::setting($folder, 'cpuCountMin');
        fail(1, "LessThanMinimalResourcesError: VM should have $least CPU cores at minimum (requested $cpu)") if $cpu < $least;
        Home::change_setting($folder, 'cpuCount', $cpu);
    }
    if (defined(my $memory = $options->{memory})) {
        my ($least, $bytes) = (Home::setting($folder, 'memorySizeMin'), $memory * 1024 * 1024);
        fail(1, "LessThanMinimalResourcesError: VM should have $least bytes of memory at minimum (requested $bytes)") if $bytes < $least;
        Home::change_setting($folder, 'memorySize', $bytes);
    }
    Home::change_setting($folder, 'macAddress', Home::random_mac()) if $options->{'random-mac'};
    if (defined(my $size = $options->{'disk-size'})) {
        my ($now, $wanted) = (disk_bytes($folder), $size * 1e9);
        my $human = sub { sprintf '%s GB', $_[0] / 1e9 };
        fail(1, "new disk size of ${\$human->($wanted)} should be larger than the current disk size of ${\$human->($now)}") if $wanted < $now;
        truncate "$folder/disk.img", $wanted or fail(1, "Error: $!");
    }
    return 0;
}

sub rename {
    my ($options, $name, $new) = @_;
    main::invalid('<new-name> should be a local name', 'rename') if $new =~ m{/};
    main::invalid("failed to rename a non-existent local VM: $name", 'rename') unless Home::complete(Home::vm_folder($name));
    main::invalid("failed to rename VM $name, target VM $new already exists, delete it first!", 'rename') if Home::complete(Home::vm_folder($new));
    CORE::rename Home::vm_folder($name), Home::vm_folder($new) or fail(1, "Error: $!");
    return 0;
}

1;
