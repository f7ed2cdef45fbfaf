import t from 'tap';
import { chooseTests } from '../../tools/test/choose.js';

const tests = ['unit/ids', 'soak/chaos', 'e2e/pages', 'api/orders', 'api/orders-paying'];
const file = (name: string) => `dist/test/${name}.test.js`;

t.test('without names: every test but the long ones, slow folders first', async (t) => {
  const { files, unknown } = chooseTests(tests, { soak: false, wanted: [] });
  t.same(files, ['e2e/pages', 'api/orders', 'api/orders-paying', 'unit/ids'].map(file));
  t.same(unknown, []);
  t.same(chooseTests(tests, { soak: true, wanted: [] }).files, [file('soak/chaos')]);
});

t.test('a file or a folder may be named as source or compiled, and a long one too', async (t) => {
  for (const [wanted, expected] of [
    ['test/unit/ids.test.ts', ['unit/ids']],
    ['./test/unit/ids.test.ts', ['unit/ids']],
    ['dist/test/unit/ids.test.js', ['unit/ids']],
    ['unit/ids', ['unit/ids']],
    ['test/api', ['api/orders', 'api/orders-paying']],
    ['test/api/', ['api/orders', 'api/orders-paying']],
    ['api/orders', ['api/orders']],
    ['soak/chaos', ['soak/chaos']],
  ] as const) {
    t.same(chooseTests(tests, { soak: false, wanted: [wanted] }).files, expected.map(file), wanted);
  }
});

t.test('a name that fits no test is reported', async (t) => {
  t.same(chooseTests(tests, { soak: false, wanted: ['unit/ids', 'unit/nothing'] }).unknown, ['unit/nothing']);
});
