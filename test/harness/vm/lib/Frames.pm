package Frames;
# Messages between `exec` and the guest's agent: a letter, a length of four bytes, contents.
use strict;
use warnings;

sub MSG_DONTWAIT () { 0x40 }
sub MSG_NOSIGNAL () { 0x4000 }

sub frame { my ($type, $data) = @_; return pack('a1 N', $type, length $data) . $data }

# Takes one frame off the front of what has arrived; empty while it is not whole.
sub take_frame {
    my ($buffer) = @_;
    return () if length $$buffer < 5;
    my ($type, $length) = unpack 'a1 N', $$buffer;
    return () if length $$buffer < 5 + $length;
    my $data = substr $$buffer, 5, $length;
    substr $$buffer, 0, 5 + $length, '';
    return ($type, $data);
}

# Writes as much as the handle accepts without blocking. False: the reader has closed its end.
sub write_some {
    my ($handle, $queue) = @_;
    my $written = -S $handle
        ? send $handle, substr($$queue, 0, 65536), MSG_DONTWAIT | MSG_NOSIGNAL
        : syswrite $handle, $$queue, length $$queue < 4096 ? length $$queue : 4096;
    return $!{EINTR} || $!{EAGAIN} unless defined $written;
    substr $$queue, 0, $written, '';
    return 1;
}

sub set_of {
    my $set = '';
    vec($set, fileno $_, 1) = 1 for @_;
    return $set;
}

sub has { my ($set, $handle) = @_; return vec $set, fileno $handle, 1 }

1;
