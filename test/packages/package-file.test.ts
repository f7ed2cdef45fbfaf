// The names of packages, and which version is newer.
import t from 'tap';
import { compareVersions, parsePackageName } from '../../control-plane/packages/domain/package-file.js';
import { byteRange } from '../../control-plane/platform/http/byte-range.js';

t.test('names', async (t) => {
  const agent = { kind: 'host-agent', version: '1.2.3', platform: 'darwin-arm64' };
  const names: Record<string, unknown> = {
    'cidermill-host-agent-1.2.3-darwin-arm64.tar.gz': agent,
    'cidermill-host-agent-1.2.3-rc.1-linux-x64.tar.gz': {
      ...agent,
      version: '1.2.3-rc.1',
      platform: 'linux-x64',
    },
    'cidermill-cli-1.2.3.tgz': { kind: 'cli', version: '1.2.3', platform: null },
    'cidermill-1.2.3-beta.tgz': { kind: 'full', version: '1.2.3-beta', platform: null },
  };
  for (const [name, meaning] of Object.entries(names)) t.same(parsePackageName(name), meaning, name);
  for (const name of [
    'SHA256SUMS',
    'cidermill.tgz',
    'cidermill-1.2.tgz',
    'cidermill-1.2.3.tgz.part',
    'x-cidermill-1.2.3.tgz',
    'cidermill-host-agent-1.2.3.tar.gz',
    'cidermill-host-agent-1.2.3-sunos-arm64.tar.gz',
    '../cidermill-1.2.3.tgz',
    'cidermill-1.2.3\n.tgz',
    "cidermill-1.2.3-'.tgz",
    'cidermill-1.2.3-.tgz',
    '',
  ])
    t.equal(parsePackageName(name), null, name);
});

t.test('versions in their order', async (t) => {
  const order = [
    '0.9.9',
    '0.10.0-alpha',
    '0.10.0-alpha.1',
    '0.10.0-alpha.beta',
    '0.10.0-beta',
    '0.10.0-beta.2',
    '0.10.0-beta.11',
    '0.10.0-rc.1',
    '0.10.0',
    '0.10.1',
    '1.0.0',
    '10.0.0',
  ];
  for (const [i, a] of order.entries()) {
    for (const [j, b] of order.entries()) t.equal(Math.sign(compareVersions(a, b)), Math.sign(i - j), `${a} ${b}`);
  }
});

t.test('ranges', async (t) => {
  const cases: [string | undefined, unknown][] = [
    [undefined, null],
    ['bytes=0-', { start: 0, end: 99 }],
    ['bytes=10-19', { start: 10, end: 19 }],
    ['bytes=90-500', { start: 90, end: 99 }],
    ['bytes=-5', { start: 95, end: 99 }],
    ['bytes=-500', { start: 0, end: 99 }],
    ['bytes=100-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=5-4', null],
    ['bytes=-', null],
    ['bytes=0-1,5-6', null],
    ['lines=0-1', null],
    ['bytes=-1-5', null],
  ];
  for (const [header, meaning] of cases) t.same(byteRange(header, 100), meaning, header ?? 'none');
  t.equal(byteRange('bytes=0-', 0), 'unsatisfiable');
  t.equal(byteRange('bytes=-1', 0), 'unsatisfiable');
});
