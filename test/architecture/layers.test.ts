import t from 'tap';
import { cyclesIn, type Import, importsIn } from './imports.js';
import { rooms } from './matrix.js';

const compiled = rooms.map(({ path, may, ...row }) => ({
  ...row,
  path: new RegExp(path),
  may: [path, ...may].map((pattern) => new RegExp(pattern)),
}));

/** Returns a sentence for each import that the matrix does not allow. */
const violations = (imports: readonly Import[]) =>
  imports.flatMap(({ from, to }) => {
    const row = compiled.find(({ path }) => path.test(from));
    if (to === null || !row || row.may.some((pattern) => pattern.test(to))) return [];
    return [`${row.room}: ${from} -> ${to} (${row.reason})`];
  });

const imports = importsIn(['shared', 'control-plane', 'host-agent', 'client']);

t.test('every import stays within its room or goes where the matrix allows', async (t) => {
  t.ok(imports.length > 4_000, 'the sources were read');
  t.same(violations(imports), []);
  const wrong = (from: string, to: string) => violations([{ from, to, name: to }]);
  t.match(wrong('control-plane/builds/domain/build.ts', 'control-plane/builds/store/builds.ts'), [/^builds\/domain: /]);
  t.match(wrong('control-plane/hosts/app/hosts.ts', 'control-plane/renting/app/rentals.ts'), [/^hosts\/app: /]);
  t.match(wrong('host-agent/runner/mask/masker.ts', 'node_modules/zod/'), [/^mask: /]);
});

t.test('no import cycles, no imports that lead nowhere', async (t) => {
  t.same(cyclesIn(imports), []);
  t.same(
    imports.filter(({ to }) => to === null),
    [],
  );
  const cycle = ['a', 'b', 'c'].map((from, i, all) => ({ from, to: all[(i + 1) % 3] ?? null }));
  t.same(cyclesIn([{ from: 'd', to: 'a' }, ...cycle]), [['a', 'b', 'c', 'a']]);
});
