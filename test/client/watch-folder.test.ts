// Which changes of a folder are noticed, with the real file system.
import { appendFileSync, chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { foldersOf, watchFolder } from '../../client/files/watch-folder.js';
import { systemClock } from '../../shared/clock.js';

const FILES = ['a.txt', 'src/b.txt', 'src/deep/c.txt'];

async function open(t: Test, wholeTree: boolean) {
  const dir = t.testdir();
  for (const name of [...FILES, 'build/out.txt', '.git/index']) {
    mkdirSync(join(dir, name, '..'), { recursive: true });
    writeFileSync(join(dir, name), name);
  }
  const watched = watchFolder(dir, { clock: systemClock, wholeTree });
  t.teardown(() => watched.close());
  const never = new AbortController().signal;
  watched.follow(FILES);
  await watched.changed(never);
  /** Makes a change; resolves when it was noticed. */
  const noticed = async (change: () => void) => {
    const seen = watched.changed(never);
    change();
    await seen;
  };
  return { dir, watched, noticed, at: (name: string) => join(dir, name) };
}

for (const wholeTree of [false, true]) {
  t.test(
    `changes are noticed, ${wholeTree ? 'by a watch of the whole tree' : 'by a watch of each folder'}`,
    async (t) => {
      const { watched, noticed, at } = await open(t, wholeTree);
      await noticed(() => appendFileSync(at('a.txt'), '!'));
      await noticed(() => appendFileSync(at('src/deep/c.txt'), '!'));
      await noticed(() => writeFileSync(at('src/new.txt'), ''));
      await noticed(() => rmSync(at('src/new.txt')));
      await noticed(() => renameSync(at('src/b.txt'), at('src/d.txt')));
      await noticed(() => mkdirSync(at('src/later')));
      writeFileSync(at('src/later/e.txt'), '');
      watched.follow([...FILES, 'src/later/e.txt']);
      await watched.changed(new AbortController().signal);
      await noticed(() => appendFileSync(at('src/later/e.txt'), '!'));

      await noticed(() => rmSync(at('src/later'), { recursive: true }));
      await noticed(() => mkdirSync(at('src/later')));
      writeFileSync(at('src/later/e.txt'), '');
      watched.follow([...FILES, 'src/later/e.txt']);
      await noticed(() => appendFileSync(at('src/later/e.txt'), '!'));
    },
  );

  t.test(`folders without files of the source are not watched (${wholeTree ? 'tree' : 'folders'})`, async (t) => {
    const { watched, at } = await open(t, wholeTree);
    const stop = new AbortController();
    const seen = watched.changed(stop.signal);
    appendFileSync(at('build/out.txt'), '!');
    appendFileSync(at('.git/index'), '!');
    await new Promise((resolve) => setTimeout(resolve, 200));
    stop.abort(new Error('nothing was noticed'));
    await t.rejects(seen, { message: 'nothing was noticed' });
  });
}

t.test('the mode of a file counts, too', async (t) => {
  const { noticed, at } = await open(t, false);
  await noticed(() => chmodSync(at('src/b.txt'), 0o755));
});

t.test('a file that changes all the time does not hold up the next build', async (t) => {
  const { watched, at } = await open(t, false);
  let at_ms = 0;
  const clock = { ...systemClock, monotonic: () => (at_ms += 100) };
  const busy = watchFolder(at('src'), { clock, wholeTree: false });
  t.teardown(() => busy.close());
  busy.follow(['b.txt']);
  const writing = setInterval(() => appendFileSync(at('src/b.txt'), '!'), 5);
  t.teardown(() => clearInterval(writing));
  await busy.changed(new AbortController().signal);
  watched.close();
});

t.test('a stop ends the wait, and the folders of a list of files include all above them', async (t) => {
  const { watched } = await open(t, false);
  await t.rejects(watched.changed(AbortSignal.abort(new Error('stopped'))), { message: 'stopped' });
  t.same([...foldersOf(['a', 'b/c/d', 'b/e'])].sort(), ['', 'b', 'b/c']);
  t.same([...foldersOf([])], ['']);
});

t.test('a folder that is not there cannot be watched', async (t) => {
  const watched = watchFolder('/nowhere', { clock: systemClock, wholeTree: false });
  t.throws(() => watched.follow([]), { name: 'SelectionError', message: /\/nowhere cannot be watched/ });
});
