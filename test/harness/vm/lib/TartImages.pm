package TartImages;
# `tart clone`, `pull`, `delete`, `prune`, `fqn` and `login`: images in a registry, in the cache, and as machines.
use strict;
use warnings;
use Errno ();
use Home;
use TartVms;

my @parts = qw(config.json nvram.bin disk.img .used-bytes guest);

# host/namespace:tag or host/namespace@digest; undef: a local name.
sub remote {
    my ($name) = @_;
    my ($host, $namespace, $reference) = $name =~ m{^([A-Za-z0-9.-]+(?::\d+)?)/([A-Za-z0-9._/-]+?)((?::[A-Za-z0-9._-]+)|(?:\@sha256:[A-Za-z0-9]+))?$} or return undef;
    $reference //= ':latest';
    return { repository => "$host/$namespace", reference => substr($reference, 1), is_digest => scalar($reference =~ /^@/) };
}

sub escaped { my ($text) = @_; $text =~ s/:/%3A/g; return $text }
sub plain { my ($text) = @_; $text =~ s/%3A/:/g; return $text }
sub folder_of { my ($remote) = @_; return "$Home::home/cache/OCIs/" . escaped($remote->{repository}) . "/$remote->{reference}" }
sub full_name { my ($remote, $digest) = @_; return "$remote->{repository}\@$digest" }

# Every tag and image of the cache: repository, reference, path.
sub cache_entries {
    my ($folder) = @_;
    return map {
        my ($repository, $reference) = m{^\Q$Home::home\E/cache/OCIs/(.*)/([^/]+)$};
        -l $_ || Home::complete($_) ? [plain($repository // ''), $reference, $_] : -d $_ ? cache_entries($_) : ();
    } Home::entries($folder);
}

# Every cached image: by digest, and again by each tag that leads to it.
sub cached {
    my @whole = grep { Home::complete($_->[2]) } cache_entries("$Home::home/cache/OCIs");
    return sort { $a->[0] cmp $b->[0] } map { [$_->[0] . (-l $_->[2] ? ':' : '@') . $_->[1], $_->[2]] } @whole;
}

sub remove_tree { system('rm', '-rf', '--', $_[0]) == 0 or TartVms::fail(1, "Error: “$_[0]” couldn’t be removed.") }

# Removes tags that lead nowhere, and digests that no tag leads to unless they were pulled by digest.
sub collect_garbage {
    my %used;
    for my $tag (grep { -l $_ } map { $_->[2] } cache_entries("$Home::home/cache/OCIs")) {
        if (-e $tag) { $used{ readlink $tag } = 1 } else { unlink $tag }
    }
    for my $image (cached()) {
        my $path = $image->[1];
        next if -l $path || -e "$path/.explicitly-pulled" || $used{ (split m{/}, $path)[-1] };
        remove_tree($path);
    }
}

sub no_room { TartVms::fail(1, 'Error: You can’t save the file “disk.img” because the volume “Macintosh HD” is out of space.') }

sub manifest_digest {
    my ($remote) = @_;
    if (defined Home::fault('unauthorized')) {
        TartVms::fail(1, 'Error: AuthFailed(why: "received unexpected HTTP status code 401 while retrieving an authentication token", details: "")');
    }
    my $registry = "$Home::own/registry";
    my $digest = $remote->{is_digest} ? $remote->{reference} : Home::slurp("$registry/tags/" . escaped($remote->{repository}) . "/$remote->{reference}");
    return $digest if defined $digest && -d "$registry/images/$digest";
    TartVms::fail(1, 'Error: UnexpectedHTTPStatusCode(when: "pulling manifest", code: 404, details: '
        . '"{\"errors\":[{\"code\":\"MANIFEST_UNKNOWN\",\"message\":\"manifest unknown\"}]}")');
}

sub progress {
    my ($first, $text) = @_;
    print defined $ENV{CI} || $first ? "$text\n" : "\e[1A\r\e[J$text\n";
}

# Downloads one percent at a time, into a folder from which the next attempt continues.
sub download {
    my ($remote, $digest) = @_;
    my $breaks = Home::fault('pull-breaks');
    my $milliseconds = Home::fault('pull-ms') || 0;
    require Digest::MD5;
    my $folder = "$Home::home/tmp/" . Digest::MD5::md5_hex("$remote->{repository}/$remote->{reference}");
    -d $folder or mkdir $folder or die "$folder: $!\n";
    my $lock = Home::hold($folder);
    local $SIG{INT} = sub { remove_tree($folder); TartVms::fail(1, 'Error: CancellationError()') };
    my $start = Home::slurp("$folder/percent") || 0;
    print "pulling disk (25.1 GB compressed)...\n";
    for (my $percent = $start; $percent <= 100; $percent += 5) {
        # A resumed fetch begins with 0% too, and skips what is there at the first change.
        progress($percent == $start, $percent == $start ? '0%' : "$percent%");
        Home::spew("$folder/percent", $percent);
        if (defined $breaks && $percent >= $breaks) {
            print qq(Error pulling image: "The network connection was lost.", attempting to re-try...\n) for 1 .. 4;
            TartVms::fail(1, 'Error: The network connection was lost.');
        }
        no_room() if $percent >= 50 && defined Home::fault('pull-disk-full');
        Home::pause($milliseconds / 20_000) if $milliseconds;
    }
    print "pulling NVRAM...\n";
    Home::copy_trees("$folder/", map { "$Home::own/registry/images/$digest/$_" } grep { !-e "$folder/$_" } @parts);
    unlink "$folder/percent";
    return $folder;
}

sub pull_image {
    my ($remote) = @_;
    print "pulling manifest...\n";
    my $digest = manifest_digest($remote);
    my %by_digest = (%$remote, reference => $digest, is_digest => 1);
    my ($tag, $target) = (folder_of($remote), folder_of(\%by_digest));
    my $name = full_name($remote, $digest);
    if (Home::complete($target) && (readlink($tag) // '') eq $digest) {
        print "$name image is already cached and linked!\n";
        return;
    }
    (my $host = escaped($remote->{repository})) =~ s{/.*}{};
    system 'mkdir', '-p', "$Home::home/cache/OCIs/$host", $target =~ s{/[^/]+$}{}r;
    my $lock = Home::hold("$Home::home/cache/OCIs/$host", sub { print "waiting for lock...\n" });
    if (Home::complete($target)) { print "$name image is already cached! creating a symlink...\n" }
    else {
        my $folder = download($remote, $digest);
        rename $folder, $target or TartVms::fail(1, "Error: $!");
    }
    if ($remote->{is_digest}) { Home::spew("$target/.explicitly-pulled", '') }
    else {
        unlink $tag;
        symlink $digest, $tag or TartVms::fail(1, "Error: $!");
    }
    utime undef, undef, $target;
}

sub pull {
    my ($options, $name) = @_;
    main::invalid('network concurrency cannot be less than 1', 'pull') if ($options->{concurrency} // 4) < 1;
    if ($name !~ m{/} && Home::complete(Home::vm_folder($name))) { print "\"$name\" is a local image, nothing to pull here!\n"; return 0 }
    my $remote = remote($name) or TartVms::fail(1, "failed to parse remote name: mismatched input (character ${\length $name})");
    print "pulling $name...\n";
    pull_image($remote);
    return 0;
}

sub clone {
    my ($options, $source, $name) = @_;
    main::invalid('<new-name> should be a local name', 'clone') if $name =~ m{/};
    main::invalid('network concurrency cannot be less than 1', 'clone') if ($options->{concurrency} // 4) < 1;
    my $remote = remote($source);
    pull_image($remote) if $remote && !Home::complete(folder_of($remote));
    my $from = $remote ? folder_of($remote) : TartVms::existing($source);
    my $temporary = "$Home::home/tmp/" . uc join '-', map { unpack 'H*', pack 'n', int rand 65536 } 1 .. 5;
    mkdir $temporary or die "$temporary: $!\n";
    my $lock = Home::hold($temporary);
    my $global = Home::hold($Home::home);
    local $SIG{INT} = sub { remove_tree($temporary); TartVms::fail(1, 'Error: CancellationError()') };
    Home::copy_trees("$temporary/", grep { -e $_ } map { "$from/$_" } @parts, 'state.vzvmsave');
    my $slow = Home::fault('clone-ms');
    Home::pause($slow / 1000) if $slow;
    no_room() if defined Home::fault('clone-disk-full');
    TartVms::fail(1, 'Error: The operation couldn’t be completed. Input/output error') if defined Home::fault('clone-fails');
    my $mac = Home::setting($from, 'macAddress');
    if (Home::state($from) ne 'suspended' && grep { Home::setting(Home::vm_folder($_), 'macAddress') eq $mac } Home::vm_names()) {
        Home::change_setting($temporary, 'macAddress', Home::random_mac());
    }
    unlink "$temporary/guest/private/var/run/boottime";
    # An existing machine of this name is replaced without a word.
    my $target = Home::vm_folder($name);
    if (-e $target) { rename $target, "$temporary.replaced" }
    rename $temporary, $target or TartVms::fail(1, "Error: $!");
    remove_tree("$temporary.replaced") if -e "$temporary.replaced";
    return 0;
}

sub delete {
    my ($options, @names) = @_;
    for my $name (@names) {
        my $remote = remote($name);
        my $folder = $remote ? folder_of($remote) : Home::vm_folder($name);
        TartVms::fail(2, "the specified VM \"$name\" does not exist") unless -l $folder || -d $folder && $name ne '';
        if ($remote) {
            if (-l $folder) { unlink $folder } else { remove_tree($folder) }
            collect_garbage();
            next;
        }
        TartVms::fail(1, "VM \"$name\" is running") if Home::pid_of($folder);
        remove_tree($folder);
    }
    return 0;
}

sub prune {
    my ($options) = @_;
    my ($days, $budget) = ($options->{'older-than'}, $options->{'space-budget'} // $options->{'cache-budget'});
    main::invalid('at least one pruning criteria must be specified', 'prune') unless defined $days || defined $budget || $options->{gc};
    my $entries = $options->{entries} // 'caches';
    main::invalid('unsupported --entries value, please specify either "caches" or "vms"', 'prune') unless $entries =~ /^(caches|vms)$/;
    my @folders = $entries eq 'vms'
        ? grep { !Home::pid_of($_) } map { Home::vm_folder($_) } Home::vm_names()
        : map { $_->[1] } grep { !-l $_->[1] } cached();
    my $left = defined $budget ? $budget * 1024**3 : undef;
    for my $folder (sort { (stat $b)[9] <=> (stat $a)[9] } @folders) {
        my $old = defined $days && (stat $folder)[9] <= time - $days * 86_400;
        my $used = TartVms::used_bytes($folder);
        if ($old || defined $left && $used > $left) { remove_tree($folder) }
        elsif (defined $left) { $left -= $used }
    }
    collect_garbage();
    return 0;
}

sub fqn {
    my ($options, $name) = @_;
    my $remote = remote($name) or do { print "$name\n"; return 0 };
    my $folder = folder_of($remote);
    TartVms::fail(2, "the specified VM \"$name\" does not exist") unless -e $folder;
    print full_name($remote, -l $folder ? readlink $folder : $remote->{reference}), "\n";
    return 0;
}

sub login {
    my ($options, $host) = @_;
    my ($user, $stdin) = @$options{qw(username password-stdin)};
    main::invalid('both --username and --password-stdin are required', 'login') if !defined $user != !$stdin;
    if (defined Home::fault('keychain-locked')) { TartVms::fail(1, 'Error: KeychainError(osStatus: -25308)') }
    my $password = do { local $/; <STDIN> } // '';
    Home::spew("$Home::own/login-$host", "$user\n" . $password =~ s/\n$//r);
    return 0;
}

sub logout { my ($options, $host) = @_; unlink "$Home::own/login-$host"; return 0 }

1;
