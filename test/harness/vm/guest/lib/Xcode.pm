package Xcode;
# Which Xcode is selected, and the state of its installations. State of root: /private/var/db/stand-in.
use strict;
use warnings;

our $state = '/private/var/db/stand-in';
our $link = '/private/var/db/xcode_select_link';
my $images = '/Library/Developer/CoreSimulator/Images/images.tsv';

sub slurp { my ($path) = @_; open my $file, '<', $path or return ''; local $/; return <$file> // '' }

sub is_root { return $> == 0 }

# An application or its Contents/Developer; undef when there is no such folder.
sub developer_dir_of {
    my ($path) = @_;
    $path =~ s{/+$}{};
    $path .= '/Contents/Developer' if -d "$path/Contents/Developer";
    return -d $path ? $path : undef;
}

sub selected { return readlink($link) // (-d '/Applications/Xcode.app/Contents/Developer' ? '/Applications/Xcode.app/Contents/Developer' : undef) }

sub developer_dir {
    my $given = $ENV{DEVELOPER_DIR};
    return defined $given && $given ne '' ? developer_dir_of($given) : selected();
}

# Version and build by the application's property list, text or binary.
sub about {
    my ($developer_dir) = @_;
    my $list = "$developer_dir/../version.plist";
    my $text = slurp($list);
    if ($text =~ /^bplist/) { $text = `/.linux/bin/plistutil -i '$list' -f xml` }
    my %value = $text =~ m{<key>(\w+)</key>\s*<string>([^<]*)</string>}g;
    return ($value{CFBundleShortVersionString}, $value{ProductBuildVersion});
}

sub remember { my ($what) = @_; open my $file, '>', "$state/$what" or return 0; close $file; return 1 }
sub remembers { my ($what) = @_; return -e "$state/$what" }

# Counts down the number in a file. True until it has reached 0.
sub use_up {
    my ($what) = @_;
    my ($left) = slurp("$state/$what") =~ /(\d+)/;
    return 0 unless $left;
    open my $file, '>', "$state/$what" or return 1;
    print {$file} $left - 1;
    return 1;
}

# Runtimes: platform, version, build, state.
sub all_runtimes { return map { [split /\t/] } grep { length } split /\n/, slurp($images) }

# New runtimes are shown as being verified in as many listings as the test says.
sub runtimes {
    my $verifying = use_up('verifying-lists');
    return map { $verifying && $_->[3] eq 'Ready' && $_->[4] ? [@$_[0 .. 2], 'Verifying'] : $_ } all_runtimes();
}

sub save_runtimes {
    open my $file, '>', $images or die "images: $!\n";
    print {$file} join("\t", @$_), "\n" for @_;
    close $file;
}

sub runtime_id { my ($platform, $version) = @_; $version =~ tr/./-/; return "com.apple.CoreSimulator.SimRuntime.$platform-$version" }

# The same for the same build, so that a list can be compared with an earlier one.
sub uuid_of {
    my ($text) = @_;
    my $hash = 0;
    $hash = ($hash * 31 + ord) % 281474976710656 for split //, $text;
    return sprintf '%08X-0000-4000-8000-%012X', $hash % 4294967296, $hash;
}

1;
