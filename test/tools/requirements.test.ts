import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { isMet, leftOutLines, unmetRequirements } from '../../tools/test/requirements.js';

const sources: Record<string, string> = {
  'e2e/lives.test.ts': `// Requires: shellcheck\nimport { openTartHost } from '../harness/vm/tart-host.js';`,
  'driver/vm.test.ts': `import t from 'tap';\nimport {\n  type Rig,\n  rig,\n} from './rig.js';`,
  'driver/rig.ts': `export { openTartHost } from '../harness/vm/tart-host.js';\nimport { other } from './vm.test.js';`,
  'driver/local.test.ts': `import { until } from '../harness/until.js';\nimport { Driver } from '../../host-agent/driver/driver.js';`,
  'harness/until.ts': '',
  'harness/vm/tart-host.ts': `// Guests.\n// Requires: root, sshd\nimport path from 'node:path';`,
};
const tests = ['e2e/lives', 'driver/vm', 'driver/local'];
const read = (path: string) => {
  const source = sources[path];
  if (source === undefined) throw new Error(path);
  return source;
};

t.test('a test requires what the files that it imports require', async (t) => {
  const none = unmetRequirements(tests, read, () => false);
  t.same(
    [...none],
    [
      ['e2e/lives', ['root', 'shellcheck', 'sshd']],
      ['driver/vm', ['root', 'sshd']],
    ],
  );
  t.same([...unmetRequirements(tests, read, (one) => one !== 'shellcheck')], [['e2e/lives', ['shellcheck']]]);
  t.equal(unmetRequirements(tests, read, () => true).size, 0);
  t.same(leftOutLines(none), [
    '# left out: 2 test files require root on Linux',
    '# left out: 1 test file requires shellcheck',
    '# left out: 2 test files require sshd',
  ]);
  t.same(leftOutLines(new Map([['a', ['chromium|google-chrome']]])), [
    '# left out: 1 test file requires chromium or google-chrome',
  ]);
  t.same(leftOutLines(new Map([['platform/disk', ['sqlite']]])), ['# for SQLite only: 1 test file']);
});

t.test('a program is looked for in PATH and the folders of system programs', async (t) => {
  const folder = t.testdir({ tool: '', text: '' });
  chmodSync(join(folder, 'tool'), 0o755);
  chmodSync(join(folder, 'text'), 0o644);
  mkdirSync(join(folder, 'empty'));
  writeFileSync(join(folder, 'empty/other'), '');
  const before = process.env.PATH;
  t.teardown(() => {
    process.env.PATH = before;
  });
  process.env.PATH = `${folder}:/usr/bin`;
  t.equal(isMet('tool'), true);
  t.equal(isMet('missing|tool'), true);
  for (const name of ['text', 'missing', 'missing|text', 'empty/none']) t.equal(isMet(name), false, name);
  t.equal(isMet('root'), process.platform === 'linux' && process.getuid?.() === 0);
});
