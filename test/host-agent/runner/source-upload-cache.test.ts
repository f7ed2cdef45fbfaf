// The contents that a host keeps for later checkouts.
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { contentRoot } from '../../../host-agent/caches/content-cache.js';
import { trimContents } from '../../../host-agent/caches/content-trim.js';
import { defaultSourceLimits } from '../../../host-agent/limits.js';
import { createAdvancingClock } from '../../../shared/clock.js';
import { sha256 } from '../../harness/sha256.js';
import { createMac, expected, failureOf, look, serve, upload } from './source-fixtures.js';
import { big, project } from './source-project.js';
import { watchChanges } from './watch-changes.js';

t.test('two Macs of an account share the cache, and damaged contents are fetched again', async (t) => {
  const one = createMac(t);
  const two = createMac(t, one);
  const from = upload(project);
  await one.checkOut(from);
  const fetcher = serve(from);
  await two.checkOut(from, { fetcher });
  t.strictSame(fetcher.asked, [], 'nothing is fetched twice');
  t.strictSame(look(two.work), expected(from));

  const blob = (content: string | Buffer) =>
    join(contentRoot(join(one.root, 'cache')), sha256(content).slice(0, 2), sha256(content));
  writeFileSync(join(one.work, 'Resources/model.bin'), 'a build writes into its own file');
  t.equal(sha256(readFileSync(blob(big))), sha256(big), 'and not into the cache');

  const damages: [string, () => void][] = [
    ['a flipped bit', () => writeFileSync(blob('let size = 1\n'), 'let size = 2\n')],
    ['a flipped bit in a large one', () => writeFileSync(blob(big), Buffer.alloc(big.length))],
    ['a cut file', () => truncateSync(blob(big), 1000)],
    ['an empty file', () => truncateSync(blob('let size = 1\n'))],
    ['a missing file', () => unlinkSync(blob('let size = 1\n'))],
    [
      'a link',
      () => {
        unlinkSync(blob('let size = 1\n'));
        symlinkSync(join(one.work, 'Sources/App/Größe – 日本語 🍎.swift'), blob('let size = 1\n'));
      },
    ],
  ];
  for (const [damage, act] of damages) {
    act();
    const mended = serve(from);
    await two.checkOut(from, { fetcher: mended, cleanTree: true });
    t.strictSame(look(two.work), expected(from), damage);
    t.equal(mended.asked.flat().length, 1, `${damage}: only that one is fetched again`);
  }
});

t.test('caches and states of checkouts can be read by the account of the host alone', async (t) => {
  const mac = createMac(t);
  const mode = (folder: string) => (statSync(folder).mode & 0o777).toString(8);
  const cache = join(mac.root, 'cache');
  rmSync(cache, { recursive: true, force: true });
  await mac.checkOut(upload(project));
  t.equal(mode(cache), '700');
  t.equal(mode(join(mac.work, '..', 'state')), '700');
  chmodSync(cache, 0o755);
  await mac.checkOut(upload(project));
  t.equal(mode(cache), '700', 'a cache that an earlier version made is closed');
});

t.test('the cache keeps the most recently used contents', async (t) => {
  const mac = createMac(t);
  const cacheDir = join(mac.root, 'cache');
  const day = 24 * 3_600_000;
  const clock = createAdvancingClock({ start: Date.now() });
  const limits = { ...defaultSourceLimits, contentCacheBytes: 1000 };
  const files = (names: string[]) => upload(Object.fromEntries(names.map((name) => [name, name.repeat(100)])));
  const cached = () =>
    readdirSync(contentRoot(cacheDir), { recursive: true, withFileTypes: true }).filter(
      (entry) => entry.isFile() && /^[0-9a-f]{64}$/.test(entry.name),
    ).length;

  await mac.checkOut(files(['a', 'b', 'c', 'd', 'e']), { limits, clock });
  t.equal(cached(), 5);
  await clock.advance(day);
  // Read from the cache, so used today; the others are a day old.
  await mac.checkOut(files(['a', 'b']), { limits, clock, cleanTree: true });
  await clock.advance(1000);
  for (const name of ['f', 'g', 'h', 'i', 'j']) {
    await mac.checkOut(files([name]), { limits, clock });
  }
  const fetcher = serve(files(['a', 'b', 'j']));
  await mac.checkOut(files(['a', 'b', 'j']), { limits, clock, fetcher, cleanTree: true });
  t.strictSame(fetcher.asked, [], 'what was used lately is there');
  t.ok(cached() <= 10);
  await mac.checkOut(files(['k', 'l', 'm', 'n']), { limits, clock });
  t.ok(cached() <= 8, 'trimming goes well below the limit');
  const old = serve(files(['c', 'd', 'e']));
  await mac.checkOut(files(['c', 'd', 'e']), { limits, clock, fetcher: old, cleanTree: true });
  t.equal(old.asked.flat().length, 3, 'what nobody used is gone');

  const abandoned = join(contentRoot(cacheDir), 'incoming/abandoned');
  writeFileSync(abandoned, 'from a build that was killed');
  await clock.advance(3 * day);
  const signal = new AbortController().signal;
  await trimContents(cacheDir, { limit: 1000, added: 1, now: clock.now(), signal });
  t.notOk(existsSync(abandoned));
  await trimContents(cacheDir, { limit: 0, added: 1, now: clock.now(), signal });
  t.equal(cached(), 0);
  writeFileSync(join(contentRoot(cacheDir), 'usage'), 'damaged');
  await mac.checkOut(files(['a']), { limits, clock });
  t.match(readFileSync(join(contentRoot(cacheDir), 'usage'), 'utf8'), /^100 \d+\n$/);
});

t.test('a full disk clears the cache, retries, and then fails as the host’s fault', async (t) => {
  const mac = createMac(t);
  const before = upload({ old: 'old content' });
  await mac.checkOut(before);
  const from = upload(project);
  for (const code of ['ENOSPC', 'EDQUOT']) {
    for (const goesAway of [true, false]) {
      let full = true;
      const restore = watchChanges((call, name) => {
        if (goesAway && mac.said.some((line) => line.startsWith('The disk is full'))) full = false;
        if (full && (name === 'writeFileSync' || name === 'writeSync') && call > 12) {
          throw Object.assign(new Error(code), { code, syscall: 'write' });
        }
      });
      try {
        if (goesAway) await mac.checkOut(from, { cleanTree: true });
        else
          t.match(await failureOf(mac.checkOut(from)), {
            reasonCode: 'host_disk_full',
            fault: 'platform',
            step: 'source',
          });
      } finally {
        restore();
      }
      t.match(mac.said.join('\n'), 'The disk is full');
      await mac.checkOut(from);
      t.strictSame(look(mac.work), expected(from), `${code}: the next build is fine`);
      await mac.checkOut(before, { cleanTree: true });
      mac.said.length = 0;
      rmSync(join(mac.root, 'cache'), { recursive: true });
    }
  }
});
