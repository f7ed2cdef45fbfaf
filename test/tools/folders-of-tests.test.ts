import { existsSync } from 'node:fs';
import t from 'tap';

t.test('the folder of a test is deleted after its teardowns', async (t) => {
  const seen: boolean[] = [];
  let folder = '';
  await t.test('uses a folder, also in a test within a test', async (t) => {
    folder = t.testdir();
    t.teardown(() => seen.push(existsSync(folder)));
    t.ok(existsSync(folder));
  });
  t.same([...seen, existsSync(folder)], [true, false]);
});
