import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { reported } from '../../client/cli/reported.js';

t.test('a folder that cannot be used is one line and exit code 64, not a trace', async (t) => {
  const missing = join(t.testdir({}), 'none');
  const locked = Object.assign(new Error("EACCES: permission denied, scandir '/locked'"), {
    ...{ code: 'EACCES', syscall: 'scandir', path: '/locked' },
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
    const errors = t.captureFn((_text: string | Uint8Array) => true);
    const { write } = process.stderr;
    process.stderr.write = errors as typeof process.stderr.write;
    const code = await reported([], async () => {
      work();
      return 0;
    }).finally(() => {
      process.stderr.write = write;
    });
    t.equal(code, 64);
    t.equal(errors.args().flat().join(''), `error: ${line}\n`);
  }
});
