// Makes the copy of this system a Mac, as far as the host agent can tell: macOS's tools, a person who is logged in at the screen,
// Homebrew's tart. To be run as root inside it: `node mac.js IMAGE`, with an image that tart can fetch.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeGuestSystem, standIns } from '../vm/guest-system.js';
import { writeImage } from '../vm/tart-host.js';

const [image] = process.argv.slice(2);
if (image === undefined) throw new Error('an image is missing');

const tools = fileURLToPath(new URL('../../../../test/harness/macos/', import.meta.url));
// The variable CIDERMILL_TOOLS_DIR names it: some of these tools are different ones on Linux.
const root = '/mac';
for (const folder of ['bin', 'sbin', 'usr/bin', 'usr/sbin', 'usr/libexec']) {
  if (!existsSync(join(tools, folder))) continue;
  mkdirSync(join(root, folder), { recursive: true });
  for (const name of readdirSync(join(tools, folder))) symlinkSync(join(tools, folder, name), join(root, folder, name));
}
const home = '/Users/admin';
execFileSync('useradd', ['--uid', '501', '--home-dir', home, '--create-home', '--shell', '/bin/zsh', 'admin']);
mkdirSync('/Library/LaunchDaemons', { recursive: true });
mkdirSync(join(root, 'state'));
// Every user's calls are recorded.
chmodSync(join(root, 'state'), 0o777);
writeFileSync(join(root, 'state/calls'), '');
chmodSync(join(root, 'state/calls'), 0o666);
const state = (name: string, text = '') => writeFileSync(join(root, 'state', name), text);
state('users', `root:0:20:/var/root:/bin/zsh:\nadmin:501:20:${home}:/bin/zsh:\n`);
state('session-501');
state('at-screen', 'admin');
state('really-run');
state('real-users');

mkdirSync('/opt/homebrew/bin', { recursive: true });
// Its guests need root: the agent may become it (state/real-users), for other processes of admin there is sudo.
const tart = join(standIns, 'tart');
const become = 'setpriv --reuid 0 --regid 0 --clear-groups';
const script = `#!/bin/sh\nif ${become} true 2>/dev/null; then exec ${become} ${tart} "$@"; fi\nexec sudo -E ${tart} "$@"\n`;
writeFileSync('/opt/homebrew/bin/tart', script, { mode: 0o755 });
writeFileSync('/etc/sudoers.d/admin', 'admin ALL=(ALL) NOPASSWD:SETENV: ALL\n', { mode: 0o440 });
const own = join(home, '.tart/.stand-in');
mkdirSync(join(own, 'faults'), { recursive: true });
makeGuestSystem(join(own, 'system'));
execFileSync('chown', ['501:20', join(home, '.tart')]);
writeImage(own, image, { diskGb: 100, usedGb: 60 }, 0);
