// Makes the copy of this system a Mac, as far as the host agent can tell: macOS's tools, a person who is logged in at the screen,
// Homebrew's tart. To be run as root inside it: `node mac.js IMAGE`, with an image that tart can fetch.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeGuestSystem, standIns } from '../vm/guest-system.js';
import { writeImage } from '../vm/tart-host.js';

const [image] = process.argv.slice(2);
if (image === undefined) throw new Error('an image is missing');

const tools = fileURLToPath(new URL('../../../../test/harness/macos/', import.meta.url));
for (const folder of ['bin', 'sbin', 'usr/bin', 'usr/sbin', 'usr/libexec']) {
  if (!existsSync(join(tools, folder))) continue;
  mkdirSync(join('/', folder), { recursive: true });
  for (const name of readdirSync(join(tools, folder))) {
    if (!existsSync(join('/', folder, name))) symlinkSync(join(tools, folder, name), join('/', folder, name));
  }
}
const home = '/Users/admin';
mkdirSync('/state', { recursive: true });
mkdirSync('/Library/LaunchDaemons', { recursive: true });
execFileSync('useradd', [
  '--uid',
  '501',
  '--home-dir',
  home,
  '--create-home',
  '--shell',
  '/bin/zsh',
  'admin',
]);
const state = (name: string, text = '') => writeFileSync(join('/state', name), text);
state('really-run');
state('session-501');

mkdirSync('/opt/homebrew/bin', { recursive: true });
symlinkSync(join(standIns, 'tart'), '/opt/homebrew/bin/tart');
const own = join(home, '.tart/.stand-in');
mkdirSync(join(own, 'faults'), { recursive: true });
makeGuestSystem(join(own, 'system'));
writeImage(own, image, { diskGb: 100, usedGb: 60 }, 0);
