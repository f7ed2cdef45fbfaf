// How programs in a guest list processes: as on macOS, whose ps prints the environment after the command.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { callGuest } from '../../../host-agent/guest/call.js';
import { encodeFrame } from '../../../host-agent/guest/frames.js';
import { type GuestProgram, guestProgram } from '../../../host-agent/guest/program.js';
import { openGuest } from './guest.js';

const listing = `
    1     0     1     0 Ss   /sbin/launchd
  501     1   501   501 S    /bin/sh -c make HOME=/Users/admin CIDERMILL_ARTIFACTS=/Users/admin/run/a CI=true
  502   501   501   501 R+   clang -DHOME=/x CIDERMILL_ARTIFACTS=/Users/admin/run/ab
  503     1   503   501 Z    (sh)
  504     1   504     0 Ss   cidermill-build-0011 --x
this is not a process
99999 abc
`;

t.test('processes are read from what ps of macOS prints', async (t) => {
  const { transport, home } = openGuest(t);
  const ps = path.join(home, 'ps');
  writeFileSync(
    ps,
    `#!/bin/sh\n[ "$*" = "-axEww -o pid= -o ppid= -o pgid= -o uid= -o stat= -o command=" ] && cat <<'END'${listing}END\n`,
    {
      mode: 0o755,
    },
  );
  const text = `
    my $ps = receive_only('ps');
    for my $process (list_ps($ps)) {
      my $marked = carries($process, 'CIDERMILL_ARTIFACTS=/Users/admin/run/a') ? 'marked' : 'other';
      send_frame('process', join ' ', @$process{qw(pid parent group user)}, $marked);
    }
    finish();
  `;
  const program: GuestProgram = {
    language: 'perl',
    source: Buffer.concat([guestProgram('frames.pl', 'processes.pl').source, Buffer.from(`\n${text}`)]),
  };
  const found: string[] = [];
  await callGuest(transport, program, [encodeFrame('ps', ps)], {
    timeoutMs: 60_000,
    onFrame: ({ payload }) => void found.push(payload.toString()),
  });
  t.same(found, ['1 0 1 0 other', '501 1 501 501 marked', '502 501 501 501 other', '504 1 504 0 other']);
});
