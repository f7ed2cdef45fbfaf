// docs/small-team.md, run as it stands: from nothing to a build on a Mac that nobody rents.
// Runs in: soak
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { freePort } from '../harness/free-port.js';

t.test('five steps end with a build', async (t) => {
  const [, block = ''] = /```sh\n([\s\S]*?)```/.exec(readFileSync('docs/small-team.md', 'utf8')) ?? [];
  t.equal(block.match(/^# \d\./gm)?.length, 5);
  // Outside of a repository, which could ignore the folder that is built.
  const dir = mkdtempSync(join(tmpdir(), 'cidermill-team-'));
  const sources = process.cwd();
  symlinkSync(join(sources, 'dist'), join(dir, 'dist'));
  for (const name of ['bin', 'home']) mkdirSync(join(dir, name));
  // The sources are installed and compiled already.
  writeFileSync(join(dir, 'bin/npm'), '#!/bin/sh\necho "npm $*" >> npm.log\n', { mode: 0o755 });
  const command = `#!/bin/sh\nexec node ${resolve(sources, 'dist/client/bin.cjs')} "$@"\n`;
  writeFileSync(join(dir, 'bin/cidermill'), command, { mode: 0o755 });
  const port = await freePort();
  const shell = spawn('bash', ['-eu'], {
    cwd: dir,
    // A group of its own, which ends with the test: the service and the agent run in the background.
    detached: true,
    env: {
      PATH: `${join(dir, 'bin')}:${process.env.PATH}`,
      HOME: join(dir, 'home'),
      CIDERMILL_PORT: String(port),
      CIDERMILL_LOG_LEVEL: 'error',
    },
  });
  t.teardown(() => {
    if (shell.pid !== undefined) process.kill(-shell.pid, 'SIGKILL');
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
  });
  const extra = 'echo; curl -fs -H "Authorization: Bearer $CIDERMILL_API_KEY" $CIDERMILL_URL/agent/start\n';
  shell.stdin.end(block.replaceAll('8460', String(port)) + extra);
  const said = [text(shell.stdout), text(shell.stderr)];
  const [code] = (await once(shell, 'exit')) as [number];
  // The service and the agent write to files, so that both streams end with the shell.
  const [out = '', err = ''] = await Promise.all(said);
  t.equal(code, 0, `${out}\n${err}`);
  t.match(out, /^built on \w+$/m);
  t.equal(readFileSync(join(dir, 'npm.log'), 'utf8'), 'npm ci\nnpm run build\nnpm link\n');
  const [, start = ''] = out.split('# Cidermill: My Team');
  t.match(start, /## Build/);
  t.notMatch(start, /\bwon\b|\bpay|quote|orders?\b/i, 'nothing about paying');
});
