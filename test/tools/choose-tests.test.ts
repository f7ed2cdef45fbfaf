import t from 'tap';
import { chooseTests, shareProcesses } from '../../tools/test/choose.js';

const tests = ['shared/ids', 'soak/chaos', 'e2e/pages', 'renting/orders', 'renting/orders-paying'];
const file = (name: string) => `dist/test/${name}.test.js`;

t.test('without names: every test but the long ones, slow folders first', async (t) => {
  const { files, unknown } = chooseTests(tests, { soak: false, wanted: [] });
  t.same(files, ['e2e/pages', 'renting/orders', 'renting/orders-paying', 'shared/ids'].map(file));
  t.same(unknown, []);
  t.same(chooseTests(tests, { soak: true, wanted: [] }).files, [file('soak/chaos')]);
  const longForms = ['renting/orders'];
  t.same(chooseTests(tests, { soak: true, longForms, wanted: [] }).files, [
    file('soak/chaos'),
    file('renting/orders'),
  ]);
});

t.test('a file or a folder may be named as source or compiled, and a long one too', async (t) => {
  for (const [wanted, expected] of [
    ['test/shared/ids.test.ts', ['shared/ids']],
    ['./test/shared/ids.test.ts', ['shared/ids']],
    ['dist/test/shared/ids.test.js', ['shared/ids']],
    ['shared/ids', ['shared/ids']],
    ['test/renting', ['renting/orders', 'renting/orders-paying']],
    ['test/renting/', ['renting/orders', 'renting/orders-paying']],
    ['renting/orders', ['renting/orders']],
    ['soak/chaos', ['soak/chaos']],
  ] as const) {
    t.same(chooseTests(tests, { soak: false, wanted: [wanted] }).files, expected.map(file), wanted);
  }
});

t.test('a name that fits no test is reported', async (t) => {
  t.same(chooseTests(tests, { soak: false, wanted: ['shared/ids', 'shared/nothing'] }).unknown, [
    'shared/nothing',
  ]);
});

t.test('files of a folder share processes evenly, long ones stand alone', async (t) => {
  const twenty = Array.from({ length: 20 }, (_, i) => `builds/${i}`);
  const ten = Array.from({ length: 10 }, (_, i) => `client/${i}`);
  const processes = shareProcesses(
    ['e2e/a', 'e2e/b', 'e2e/pages/a', 'e2e/pages/b', ...twenty, ...ten, 'host-agent/daemon/a'].map(file),
  );
  t.same(processes, [
    ...[[file('e2e/a')], [file('e2e/b')]],
    ['e2e/pages/a', 'e2e/pages/b'].map(file),
    ...[twenty.slice(0, 10), twenty.slice(10), ten.slice(0, 5), ten.slice(5)].map((names) => names.map(file)),
    [file('host-agent/daemon/a')],
  ]);
});
