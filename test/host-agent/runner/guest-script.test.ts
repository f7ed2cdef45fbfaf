// Builds in a virtual machine.
import t from 'tap';
import { openGuestRig } from './guest-rig.js';
import { leftoversEnd, scriptsEnd, stopsEnd } from './script-scenarios.js';

// macOS has no such command.
const SETSID = `mkdir -p "$TMPDIR/bin"; PATH=$TMPDIR/bin:$PATH
printf '%s\\n' '#!/usr/bin/perl' 'use POSIX; POSIX::setsid(); exec @ARGV; exit 127' >"$TMPDIR/bin/setsid"; chmod 755 "$TMPDIR/bin/setsid"
`;

t.test('scripts end in a virtual machine as they do on the host', async (t) => {
  const rig = await openGuestRig(t);
  await scriptsEnd(t, rig, 4);
});

t.test('no process of a build in a virtual machine outlives it', async (t) => {
  const rig = await openGuestRig(t);
  const withSetsid: typeof rig = { ...rig, run: (script, more) => rig.run(SETSID + script, more) };
  await leftoversEnd(t, withSetsid, 3);
  await stopsEnd(t, withSetsid, 2);
});
