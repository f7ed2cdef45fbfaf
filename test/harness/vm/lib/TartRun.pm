package TartRun;
# `tart run`, `stop`, `suspend` and `ip`: a machine while it runs.
use strict;
use warnings;
use Home;
use TartVms;

my $limit = 2;
sub WNOHANG () { 1 }

sub run {
    my ($options, $name) = @_;
    my $folder = Home::vm_folder($name);
    # Thrown while the arguments are checked: exit code 1, not 2.
    TartVms::fail(1, "Error: the specified VM \"$name\" does not exist") unless $name !~ m{/} && Home::complete($folder);
    main::invalid('--graphics and --no-graphics are mutually exclusive', 'run') if $options->{graphics} && $options->{'no-graphics'};
    my $global = Home::hold($Home::home);
    my @others = grep { $_ ne $name && Home::pid_of(Home::vm_folder($_)) } Home::vm_names();
    if (grep { Home::setting(Home::vm_folder($_), 'macAddress') eq Home::setting($folder, 'macAddress') } @others) {
        print "There is already a running VM with the same MAC address!\nResetting VM to assign a new MAC address...\n";
        Home::change_setting($folder, 'macAddress', Home::random_mac());
    }
    my $mac = Home::setting($folder, 'macAddress');
    my $lock = Home::lock_pid($folder) or TartVms::fail(2, "VM \"$name\" is already running!");
    close $global;
    if (-e "$folder/state.vzvmsave") {
        print "restoring VM state from a snapshot...\n";
        unlink "$folder/state.vzvmsave";
        print "resuming VM...\n";
    }
    my $leaked = Home::fault('leaked-slots') || 0;
    if (@others + $leaked >= $limit) {
        my $hint = @others ? ' (other running VMs: ' . join(', ', @others) . ')' : '';
        TartVms::fail(1, "The number of VMs exceeds the system limit$hint");
    }
    if (defined Home::fault('keychain-locked')) {
        TartVms::fail(1, 'Error Domain=VZErrorDomain Code=1 "Internal Virtualization error. The virtual machine failed to start." '
            . 'UserInfo={NSLocalizedFailure=Internal Virtualization error., NSLocalizedFailureReason=The virtual machine failed to start., '
            . 'NSUnderlyingError=0x600000c48000 {Error Domain=com.apple.security Code=-25308 "SecKeyCreateRandomKey_ios failed"}}');
    }
    Home::spew("$Home::own/running/$name", $$);
    my $code = watch($folder, $mac, $options->{suspendable});
    unlink "$Home::own/running/$name";
    return $code;
}

# The process stays as long as the machine runs; a signal or the guest ends it.
sub watch {
    my ($folder, $mac, $suspendable) = @_;
    require Guest;
    unlink "$folder/guest/private/var/run/boottime";
    my $guest = Guest::boot($folder, $mac);
    my $wanted = '';
    $SIG{INT} = sub { $wanted = 'stop' };
    $SIG{USR1} = sub { $wanted = 'suspend' };
    $SIG{USR2} = sub { $wanted ||= 'ask' };
    $SIG{CHLD} = sub { };
    while (1) {
        if (waitpid($guest, WNOHANG) == $guest) { print "guest has stopped the virtual machine\n"; return 0 }
        if ($wanted eq 'stop') { print "Stopping VM...\n"; Guest::kill_guest($guest); return 0 }
        if ($wanted eq 'ask') { print "Requesting guest OS to stop...\n"; $wanted = '' }
        if ($wanted eq 'suspend') {
            if (!$suspendable) { print "Failed to suspend the VM: Invalid virtual machine configuration.\n"; Guest::kill_guest($guest); return 1 }
            print "pausing VM to take a snapshot...\ncreating a snapshot...\n";
            Home::spew("$folder/state.vzvmsave", '');
            print "snapshot created successfully! shutting down the VM...\n";
            Guest::kill_guest($guest);
            return 0;
        }
        if (Home::abandoned($folder)) { Guest::kill_guest($guest); return 1 }
        # A signal interrupts the wait; the time limit covers one that arrives just before it.
        Home::pause(0.5) if $wanted eq '';
    }
}

sub stop {
    my ($options, $name) = @_;
    my $timeout = $options->{timeout} // 30;
    main::invalid("The value '$timeout' is invalid for '--timeout <timeout>'", 'stop') unless $timeout =~ /^\d+$/;
    my $folder = TartVms::existing($name);
    if (Home::state($folder) eq 'suspended') { unlink "$folder/state.vzvmsave"; return 0 }
    my $pid = Home::pid_of($folder) or TartVms::fail(2, "VM \"$name\" is not running");
    kill 'INT', $pid unless defined Home::fault('stop-ignored');
    for (1 .. $timeout * 50) {
        $pid = Home::pid_of($folder) or return 0;
        Home::pause(0.02);
    }
    kill 'KILL', $pid or TartVms::fail(1, "failed to forcefully terminate the VM \"$name\": $!");
    return 0;
}

# Returns at once; the machine is suspended when its process has ended.
sub suspend {
    my ($options, $name) = @_;
    my $folder = TartVms::existing($name);
    my $pid = Home::pid_of($folder) or TartVms::fail(2, "VM \"$name\" is not running");
    kill 'USR1', $pid;
    return 0;
}

sub ip {
    my ($options, $name) = @_;
    my ($wait, $resolver) = ($options->{wait} // 0, $options->{resolver} // 'dhcp');
    main::invalid("The value '$wait' is invalid for '--wait <wait>'", 'ip') unless $wait =~ /^\d+$/ && $wait < 65536;
    main::invalid("The value '$resolver' is invalid for '--resolver <resolver>'", 'ip') unless $resolver =~ /^(dhcp|arp|agent)$/;
    my $folder = TartVms::existing($name);
    for my $second (0 .. $wait) {
        sleep 1 if $second;
        my $address = Home::slurp("$Home::own/leases/" . Home::setting($folder, 'macAddress'));
        # The lease outlives the machine, as the file of the DHCP server does.
        my $booted = !Home::pid_of($folder) || -e "$folder/guest/private/var/run/boottime";
        if (defined $address && $booted) { print "$address\n"; return 0 }
    }
    my $message = 'no IP address found';
    $message .= ', is your VM running?' unless Home::pid_of($folder);
    $message .= ' (also make sure that Guest agent for Tart is running inside of a VM)' if $resolver eq 'agent';
    TartVms::fail(1, $message);
}

1;
