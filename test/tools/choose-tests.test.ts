import t from 'tap';
import { chooseTests, shareProcesses } from '../../tools/test/choose.js';

const tests = ['client/files', 'shared/ids', 'soak/chaos', 'e2e/mcp', 'renting/orders', 'renting/orders-paying'];
const file = (name: string) => `dist/test/${name}.test.js`;

t.test('without names, all tests except the long ones run, those that wait longest first', async (t) => {
  const { files, unknown } = chooseTests(tests, { soak: false, wanted: [] });
  t.same(files, ['e2e/mcp', 'client/files', 'renting/orders', 'renting/orders-paying', 'shared/ids'].map(file));
  t.same(unknown, []);
  t.same(chooseTests(tests, { soak: true, wanted: [] }).files, [file('soak/chaos')]);
  const longForms = ['renting/orders'];
  t.same(chooseTests(tests, { soak: true, longForms, wanted: [] }).files, [file('soak/chaos'), file('renting/orders')]);
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
  t.same(chooseTests(tests, { soak: false, wanted: ['shared/ids', 'shared/nothing'] }).unknown, ['shared/nothing']);
});

t.test('files share processes evenly; those that start many processes with fewer, long ones with none', async (t) => {
  const named = (folder: string, n: number) => Array.from({ length: n }, (_, i) => file(`${folder}/${i}`));
  const [builds, macs, client] = [named('builds', 40), named('macs', 20), named('client', 10)];
  const processes = shareProcesses([
    ...client,
    file('host-agent/daemon/a'),
    file('host-agent/driver/a'),
    ...['e2e/one-service/a', 'e2e/other/a'].map(file),
    ...builds,
    ...macs,
    ...named('e2e', 2),
    ...named('soak', 2),
  ]);
  const starting = [
    client.slice(0, 5),
    client.slice(5),
    ['host-agent/daemon/a', 'host-agent/driver/a'].map(file),
    ...['e2e/one-service/a', 'e2e/other/a'].map((one) => [file(one)]),
    named('e2e', 2),
  ];
  const others = [builds.slice(0, 30), [...builds.slice(30), ...macs], ...named('soak', 2).map((one) => [one])];
  const isOther = (group: string[]) => others.some((one) => one[0] === group[0]);
  t.same(
    processes.filter((group) => !isOther(group)),
    starting,
  );
  t.same(processes.filter(isOther), others);
  t.same(processes.map((group) => (isOther(group) ? 'o' : 's')).join(''), 'sosossosos', 'evenly among each other');
});
