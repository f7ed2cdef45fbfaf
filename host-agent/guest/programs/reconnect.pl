# In: `port` of a supervisor, then what is for the supervisor.
use strict;
use warnings;

follow(receive_only('port'));
