import { execFileSync } from 'node:child_process';
import t from 'tap';
import { knownVariables } from '../../control-plane/config.js';
import { parseConfig } from '../../host-agent/daemon/config.js';
import { nearestName } from '../../shared/nearest-name.js';
import { unknownVariables } from '../../shared/variables.js';

t.test('a misspelled name finds the one that was meant, an unknown one none', async (t) => {
  const known = ['keep_cache', 'when', 'cidrs', 'expires_at', 'limit', 'xcode', 'all', 'ids'];
  const cases: [string, string | null][] = [
    ['keepCache', 'keep_cache'],
    ['keep-cache', 'keep_cache'],
    ['kepe_cache', 'keep_cache'],
    ['cidr', 'cidrs'],
    ['expires', 'expires_at'],
    ['limt', 'limit'],
    ['Xcode', 'xcode'],
    ['id', 'ids'],
    ['quantity', null],
    ['', null],
    ['_', null],
    ['x', null],
    ['a'.repeat(1_000_000), null],
  ];
  for (const [name, nearest] of cases) t.equal(nearestName(name, known), nearest, name.slice(0, 20));
  t.equal(nearestName('x', []), null);
});

t.test('a misspelled variable finds the one that was meant', async (t) => {
  const environment = {
    PATH: '/bin',
    CIDERMILL_PORT: '0',
    CIDERMILL_SITEURL: 'x',
    CIDERMILL_REQUEST_PER_MINUTE: '3',
    CIDERMILL_PORTNE_STORE_ID: 'x',
    CIDERMILL_OWN_THING: 'x',
  };
  t.same(unknownVariables(environment, knownVariables()), [
    { name: 'CIDERMILL_SITEURL', nearest: 'CIDERMILL_SITE_URL' },
    { name: 'CIDERMILL_REQUEST_PER_MINUTE', nearest: 'CIDERMILL_REQUESTS_PER_MINUTE' },
    { name: 'CIDERMILL_PORTNE_STORE_ID', nearest: 'CIDERMILL_PORTONE_STORE_ID' },
    { name: 'CIDERMILL_OWN_THING', nearest: null },
  ]);
});

t.test('every variable that the code reads is known', async (t) => {
  const root = new URL('../../..', import.meta.url).pathname;
  const rooms = ['control-plane', 'host-agent', 'client', 'shared'];
  const found = execFileSync('grep', ['-rhoE', '--include=*.ts', 'CIDERMILL_[A-Z_]+[A-Z]', ...rooms], {
    cwd: root,
  });
  const read = new Set(found.toString().trim().split('\n'));
  t.ok(read.size > 30);
  const known = knownVariables();
  t.same(
    [...read].filter((name) => !known.includes(name)),
    [],
  );
});

t.test('a misspelled field of agent.json is refused, at any depth, with the nearest name', async (t) => {
  const wrong = (more: object) => () => parseConfig({ control_plane: 'https://macs.example', ...more });
  t.throws(wrong({ applications_Dir: '/x' }), /unknown applications_Dir \(did you mean applications_dir\?\)/);
  t.throws(wrong({ limits: { biuld: {} } }), /limits: unknown biuld \(did you mean build\?\)/);
  t.throws(wrong({ limits: { link: { nothing_like_it: 1 } } }), /limits\.link: unknown nothing_like_it \(known: /);
});
