import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { reported } from '../../client/cli/reported.js';
import { createContext, createOutput } from './run-cli.js';

t.test('a folder that cannot be used is one line and exit code 64, not a trace', async (t) => {
  const missing = join(t.testdir({}), 'none');
  const locked = Object.assign(new Error("EACCES: permission denied, scandir '/locked'"), {
    code: 'EACCES',
    syscall: 'scandir',
    path: '/locked',
  });
  for (const [work, line] of [
    [() => readdirSync(missing), `cannot use ${missing}: it does not exist`],
    [
      () => {
        throw locked;
      },
      'cannot use /locked: permission denied',
    ],
  ] as const) {
    const output = createOutput();
    const code = await reported(createContext({ cwd: '/', env: {}, output }), [], async () => {
      work();
      return 0;
    });
    t.equal(code, 64);
    t.equal(output.text.stderr, `error: ${line}\n`);
  }
});
