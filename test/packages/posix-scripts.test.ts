// GET /install/host-agent and /install/cli: scripts for any POSIX shell.
// Requires: dash, shellcheck
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { openInstallers } from './installer-rig.js';

t.test('the scripts are clean for POSIX shells', async (t) => {
  const rig = await openInstallers(t, ['darwin-arm64', 'linux-x64']);
  for (const kind of ['host-agent', 'cli'] as const) {
    const file = join(rig.folder, `${kind}.sh`);
    writeFileSync(file, await rig.script(kind));
    execFileSync('shellcheck', ['--shell=sh', '--severity=style', file]);
    for (const shell of ['dash', 'bash --posix']) execFileSync('/usr/bin/env', [...shell.split(' '), '-n', file]);
  }
});
