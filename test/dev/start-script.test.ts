// `npm start`: what tools/start.sh compiles. Its npm only records that it was called.
import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';

const root = new URL('../../../', import.meta.url).pathname;

t.test('help is printed without compiling, and nothing starts if compiling fails', async (t) => {
  const bin = t.testdir({});
  writeFileSync(join(bin, 'npm'), '#!/bin/sh\necho compiling\nexit 3\n');
  chmodSync(join(bin, 'npm'), 0o755);
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` };
  const start = (...args: string[]) =>
    spawnSync('sh', ['tools/start.sh', ...args], { cwd: root, env, encoding: 'utf8' });
  for (const flag of ['--help', '-h']) {
    const { status, stdout } = start(flag);
    t.equal(status, 0);
    t.match(stdout, /^Usage: cidermill dev/);
  }
  t.match(start('--json'), { status: 3, stdout: 'compiling\n' });
});
