// Before npm packs this folder (`npm pack`, `npm install GIT_ADDRESS`, `npm install FOLDER`): builds, because a package without
// `dist` does not run. `npm install` and `npm ci` in the folder itself build nothing. This file is JavaScript because nothing is
// compiled before it.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
// npm sets it for a folder that it packs or links. `npm pack` runs both scripts; the first one has built.
const { npm_lifecycle_event: event, npm_command: command, npm_package_resolved: packed } = process.env;
if (event === 'prepack' || (packed !== undefined && command !== 'pack' && command !== 'publish')) build();

function build() {
  if (!existsSync(`${root}node_modules/typescript`)) {
    process.stderr.write(
      `cidermill: ${root} has to be built before it is packed or installed: run \`npm ci\` there first\n`,
    );
    process.exitCode = 1;
    return;
  }
  // On standard error: standard output is the name of the package.
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: ['ignore', 2, 2] });
  process.exitCode = status ?? 1;
}
