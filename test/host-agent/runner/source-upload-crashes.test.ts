// Checkouts that are broken off at any point.
import { chmodSync, existsSync, lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { defaultSourceLimits } from '../../../host-agent/limits.js';
import { cases, stride } from '../../harness/soak.js';
import { createMac, expected, look, type Mac, MEMORY, upload } from './source-fixtures.js';
import { project } from './source-project.js';
import { watchChanges } from './watch-changes.js';

/**
 * Checks out `from` and dies (every later change fails too) at change number `at`; returns false when there were
 * fewer.
 */
async function dieAt(at: number, checkOut: () => Promise<unknown>): Promise<boolean> {
  let died = false;
  const restore = watchChanges((call) => {
    if (call < at) return;
    died = true;
    throw Object.assign(new Error('died here'), { code: 'EDIED' });
  });
  try {
    await checkOut();
  } catch (error) {
    if (!died) throw error;
  } finally {
    restore();
  }
  return died;
}

t.test('a build that dies at any point of the checkout does not break the next', async (t) => {
  const limits = { ...defaultSourceLimits, smallContentBytes: 20 };
  const small = { ...project, 'Resources/model.bin': 'large, by the limit of this test' };
  const first = upload(small, { directories: ['Logs'], links: [{ path: 'link', target: 'bin' }] });
  const second = upload(
    {
      ...Object.fromEntries(Object.entries(small).filter(([path]) => !path.includes('Core'))),
      'Sources/App/main.swift': 'changed',
      'Sources/Core': 'now a file',
      'Brand/new/file': 'new',
      'Brand/new/large': 'large as well, and not yet known',
    },
    { directories: ['Brand/empty'] },
  );
  const third = upload({ 'Package.swift': 'third', 'Sources/App/main.swift': 'changed' });
  const ways = [
    { dying: first, next: first, clean: false },
    { dying: first, next: third, clean: false },
    { dying: second, next: first, clean: false },
    { dying: second, next: third, clean: false },
    { dying: second, next: second, clean: true },
    { dying: second, next: third, clean: true },
  ];
  let points = 0;
  const step = stride(6);
  for (const [way, { dying, next, clean }] of ways.entries()) {
    for (let at = 1 + (way % step), died = true; died; at += step, points += 1) {
      const mac = createMac(t, undefined, MEMORY);
      if (dying !== first) await mac.checkOut(first, { limits });
      died = await dieAt(at, () => mac.checkOut(dying, { limits, cleanTree: clean }));
      await mac.checkOut(next, { limits });
      const seen = look(mac.work);
      if (JSON.stringify(seen) !== JSON.stringify(sorted(expected(next)))) {
        t.strictSame(seen, expected(next), `died at change ${at}`);
      }
      const again = await mac.checkOut(next, { limits });
      if (again.changed + again.removed > 0) t.fail(`died at change ${at}: not all was noted`);
      rmSync(mac.root, { recursive: true });
    }
  }
  t.ok(points > 200 / step, `${points} points of death`);
});

function sorted(record: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}

t.test('any series of uploads, tampering and crashes ends with the uploaded files', async (t) => {
  const name = fc.constantFrom('a', 'b', 'c', 'd', 'a/a', 'a/b', 'b/a', 'b/a/c', 'c/d');
  const tree = fc.dictionary(name, fc.constantFrom('', 'one', 'two', 'six'), { maxKeys: 6 }).map((entries) => {
    const paths = Object.keys(entries);
    return Object.fromEntries(
      Object.entries(entries).filter(([path]) => !paths.some((other) => other.startsWith(`${path}/`))),
    );
  });
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ tree, clean: fc.boolean(), dieAt: fc.constant(0) }) },
    {
      weight: 2,
      arbitrary: fc.record({ tree, clean: fc.boolean(), dieAt: fc.integer({ min: 1, max: 40 }) }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        at: name,
        deed: fc.constantFrom('write', 'remove', 'folder', 'link', 'product', 'chmod'),
      }),
    },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), async (steps) => {
      const mac = createMac(t, undefined, MEMORY);
      try {
        for (const now of steps) {
          if ('deed' in now) tamper(mac, now.at, now.deed);
          else if (now.dieAt > 0) {
            await dieAt(now.dieAt, () => mac.checkOut(upload(now.tree), { cleanTree: now.clean }));
          } else {
            const from = upload(now.tree);
            await mac.checkOut(from, { cleanTree: now.clean });
            const seen = look(mac.work);
            for (const [path, content] of Object.entries(expected(from))) {
              if (seen[path] !== content) return false;
            }
            // Everything beyond the upload was created by a build, and never has a name of the upload.
            const extra = Object.keys(seen).filter((path) => !(path in now.tree));
            if (extra.some((path) => now.clean || seen[path] !== 'made by a build')) return false;
          }
        }
        return true;
      } finally {
        rmSync(mac.root, { recursive: true, force: true });
      }
    }),
    { numRuns: cases(20) },
  );
});

/** What a build might do; only `product` leaves files of the build. */
function tamper(mac: Mac, at: string, deed: string): void {
  const path = join(mac.work, at);
  if (!existsSync(path)) return;
  const found = lstatSync(path);
  if (deed === 'product' && found.isDirectory()) writeFileSync(join(path, 'product.o'), 'made by a build');
  if (!found.isFile()) return;
  if (deed === 'write') writeFileSync(path, 'two');
  if (deed === 'chmod') chmodSync(path, 0o755);
  if (['remove', 'folder', 'link'].includes(deed)) rmSync(path);
  if (deed === 'folder') {
    mkdirSync(path);
    writeFileSync(join(path, 'product.o'), 'made by a build');
  }
  if (deed === 'link') symlinkSync('/', path);
}
