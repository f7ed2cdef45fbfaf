import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { chooseTests, longest, shareProcesses } from '../../tools/test/choose.js';

const tests = ['client/files', 'shared/ids', 'soak/chaos', 'e2e/mcp', 'renting/orders', 'renting/orders-paying'];
const file = (name: string) => `dist/test/${name}.test.js`;

t.test('without names, all tests except the long ones run, those that wait longest first', async (t) => {
  const { files, unknown } = chooseTests(tests, { soak: false, wanted: [] });
  t.same(files, ['e2e/mcp', 'client/files', 'renting/orders', 'renting/orders-paying', 'shared/ids'].map(file));
  t.same(unknown, []);
  t.same(chooseTests(tests, { soak: true, wanted: [] }).files, [file('soak/chaos')]);
  const long = ['e2e/mcp'];
  t.same(chooseTests(tests, { soak: true, long, wanted: [] }).files, [file('soak/chaos'), file('e2e/mcp')]);
  t.notOk(chooseTests(tests, { soak: false, long, wanted: [] }).files.includes(file('e2e/mcp')));
  t.same(
    chooseTests(tests, { soak: false, long, wanted: ['e2e'] }).files,
    [file('e2e/mcp')],
    'it runs where it is named',
  );
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

t.test('what takes longest in a soak run comes first', async (t) => {
  const tests = ['builds/log-index', 'soak/alert-rules', ...longest.toReversed()];
  const { files } = chooseTests(tests, { soak: true, long: tests, wanted: [] });
  t.same(files, [...longest, 'soak/alert-rules', 'builds/log-index'].map(file));
  for (const name of longest) {
    t.ok(existsSync(new URL(`../../../test/${name}.test.ts`, import.meta.url)), `${name} is there`);
  }
});

t.test('a name that fits no test is reported', async (t) => {
  t.same(chooseTests(tests, { soak: false, wanted: ['shared/ids', 'shared/nothing'] }).unknown, ['shared/nothing']);
});

t.test('files share processes evenly; those that start many processes with fewer, long ones with none', async (t) => {
  const named = (folder: string, n: number) => Array.from({ length: n }, (_, i) => file(`${folder}/${i}`));
  const [builds, macs, client] = [named('builds', 80), named('macs', 40), named('client', 10)];
  const files = [
    ...client,
    file('host-agent/daemon/a'),
    file('host-agent/driver/a'),
    ...['e2e/one-service/a', 'e2e/other/a'].map(file),
    ...builds,
    ...macs,
    ...named('e2e', 2),
    ...named('soak', 2),
  ];
  const processes = shareProcesses(files, { soak: false });
  const share = (files: string[], most: number) => ({ files, most });
  const starting = [
    share(client, 8),
    share(client, 8),
    share(['host-agent/daemon/a', 'host-agent/driver/a'].map(file), 3),
    ...['e2e/one-service/a', 'e2e/other/a'].map((one) => share([file(one)], 2)),
    share(named('e2e', 2), 3),
  ];
  const others = share([...builds, ...macs], 90);
  const long = named('soak', 2).map((one) => share([one], 2));
  const isOther = ({ files: [first = ''] }: { files: readonly string[] }) => /\/(?:builds|soak)\//.test(first);
  t.same(
    processes.filter((queue) => !isOther(queue)),
    starting,
  );
  t.same(processes.filter(isOther), [others, others, ...long]);
  t.same(processes.map((queue) => (isOther(queue) ? 'o' : 's')).join(''), 'sosossosos', 'evenly among each other');

  const inSoak = shareProcesses(files, { soak: true }).filter(isOther);
  t.same(
    inSoak,
    [...Array.from({ length: 5 }, () => share([...builds, ...macs], 36)), ...long],
    'fewer of those that take long',
  );

  const pages = shareProcesses([...named('soak', 4), ...named('soak/console', 12)], { soak: true });
  const names = pages.map(
    ({ files: [first = ''], most }) => `${first.includes('console') ? 'pages' : 'alone'} ${most}`,
  );
  t.same(names, ['alone 2', 'pages 9', 'alone 2', 'alone 2', 'pages 9', 'alone 2'], 'browsers are spread');
});

t.test('the comment that moves a test to the soak run stands on a line of its own, which alone is read', async (t) => {
  const files = readdirSync('test', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.test.ts'));
  t.ok(files.length > 400, `${files.length} files`);
  const moving = (name: string) =>
    readFileSync(join('test', name), 'utf8')
      .split('\n')
      .filter((line) => /^\/\/.*Runs in:/.test(line));
  t.same(
    files.filter((name) => moving(name).some((line) => line !== '// Runs in: soak')),
    [],
  );
});
