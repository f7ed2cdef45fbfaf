import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { writeDurably } from '../../shared/durable-file.js';

t.test('a link in the place of the unfinished file is not followed', async (t) => {
  const folder = t.testdir({ precious: 'x', file: 'old' });
  const file = join(folder, 'file');
  symlinkSync('precious', `${file}.new`);
  t.throws(() => writeDurably(file, 'new'), { code: 'ELOOP' });
  t.equal(readFileSync(join(folder, 'precious'), 'utf8'), 'x');
  t.equal(readFileSync(file, 'utf8'), 'old');
});
