// When npm packs the source folder, it is built first, or npm ends.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { root } from '../harness/package-here.js';

const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

t.test('npm pack, a git address and a folder build; npm ci does not', async (t) => {
  t.match(scripts, { prepack: 'node tools/prepare.mjs', prepare: 'node tools/prepare.mjs' });
  const folder = join(t.testdir({}), "a #b% 'c");
  for (const name of ['tools', 'bin', 'node_modules/typescript']) mkdirSync(join(folder, name), { recursive: true });
  copyFileSync(join(root, 'tools/prepare.mjs'), join(folder, 'tools/prepare.mjs'));
  const called = join(folder, 'called');
  writeFileSync(join(folder, 'bin/npm'), `#!/bin/sh\necho "$PWD $*" >called\nexit "\${EXIT:-0}"\n`, {
    mode: 0o755,
  });
  const run = (env: Record<string, string>) => {
    rmSync(called, { force: true });
    const PATH = `${join(folder, 'bin')}:${process.env.PATH}`;
    const { status, stderr } = spawnSync(process.execPath, ['tools/prepare.mjs'], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH, ...env },
    });
    return { status, stderr, called: existsSync(called) ? readFileSync(called, 'utf8') : null };
  };
  // As npm 11 sets them.
  const prepare = { npm_lifecycle_event: 'prepare' };
  const build = { status: 0, called: `${folder} run --silent build\n` };
  t.match(run({ ...prepare, npm_command: 'ci' }), { status: 0, called: null });
  t.match(run({ ...prepare, npm_command: 'install' }), { status: 0, called: null });
  t.match(run({ npm_lifecycle_event: 'prepack', npm_command: 'pack' }), build);
  t.match(run({ ...prepare, npm_command: 'pack', npm_package_resolved: folder }), { status: 0, called: null }, 'once');
  t.match(run({ ...prepare, npm_command: 'install', npm_package_resolved: folder }), build, 'a git address');
  t.match(run({ ...prepare, npm_command: 'install', npm_package_resolved: 'null' }), build, 'a folder');
  t.match(run({ npm_lifecycle_event: 'prepack', npm_command: 'pack', EXIT: '2' }), { status: 2 });
  rmSync(join(folder, 'node_modules'), { recursive: true });
  t.match(run({ npm_lifecycle_event: 'prepack', npm_command: 'pack' }), {
    status: 1,
    called: null,
    stderr: /has to be built before it is packed or installed: run `npm ci` there first/,
  });
});
