package Guest;
# Starts and ends a guest: processes in a mount and a PID namespace of their own, with the VM's disk as their root.
use strict;
use warnings;
use POSIX ();
use Home;

# Boots the guest of a VM. It ends with this process, however this process ends.
sub boot {
    my ($folder, $mac) = @_;
    (my $here = __FILE__) =~ s{/lib/[^/]+$}{};
    my $boot_ms = Home::fault('boot-ms') || 0;
    my $pid = fork // die "fork: $!\n";
    return $pid if $pid;
    open STDIN, '<', '/dev/null';
    open STDOUT, '>>', "$folder/guest.log";
    open STDERR, '>&', \*STDOUT;
    # 256 open files, as launchd gives.
    exec '/bin/sh', '-c', 'ulimit -S -n 256; exec "$@"', 'sh',
        'setpriv', '--pdeathsig', 'KILL',
        'unshare', '--mount', '--pid', '--ipc', '--uts', '--fork', '--kill-child=KILL',
        'perl', "-I$here/lib", "$here/guest/init", $folder, "$here/guest", $Home::own, $mac, $boot_ms
        or POSIX::_exit(127);
}

# All processes of the guest are gone when this returns.
sub kill_guest {
    my ($pid) = @_;
    my ($init) = split ' ', Home::slurp("/proc/$pid/task/$pid/children") // '';
    kill 'KILL', $init ? $init : $pid;
    waitpid $pid, 0;
}

1;
