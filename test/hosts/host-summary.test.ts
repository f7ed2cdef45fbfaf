// The state of a host and what is wrong with it: the table of states and conditions.
import t from 'tap';
import { UNKNOWN_ADDRESS } from '../../control-plane/hosts/domain/credential-conflict.js';
import type { Host } from '../../control-plane/hosts/domain/host.js';
import { conditionsOf, reasonsOf, STATES, stateOf } from '../../control-plane/hosts/domain/host-summary.js';
import { hostReasons } from '../../shared/messages/host-reasons.js';
import { say } from '../../shared/messages/message.js';
import { machine } from '../harness/samples.js';

const MINUTE = 60_000;
const NOW = 100 * 24 * 60 * MINUTE;
const CONFLICT_AT = new Date(NOW - 3 * MINUTE).toISOString();

const healthy: Host = {
  hostId: 'host_1',
  name: 'rack-1',
  tier: 'm4',
  status: 'active',
  reason: null,
  statusBy: null,
  statusAt: null,
  labels: {},
  draining: false,
  diskLow: false,
  blocked: null,
  health: null,
  shared: false,
  driver: 'tart',
  agentVersion: '1.0.0',
  protocol: 2,
  linkAddress: null,
  moveTo: null,
  upgrade: null,
  connected: true,
  connectedAt: NOW - MINUTE,
  lastSeenAt: NOW - 1_000,
  createdAt: NOW - 40 * MINUTE,
  clockSkewMs: null,
  connections: 1,
  credentialConflict: null,
  enrolmentId: null,
  enrolledSlots: 0,
  machine: null,
  connectedFrom: null,
  inventory: { ...machine, hostname: 'rack-1', os: 'macOS 26.1', driver: 'tart', disk_free_bytes: 0.8 * 2 ** 30 },
};

const away = { connected: false, lastSeenAt: NOW - 12 * MINUTE };
const drained = { status: 'draining', statusBy: 'ann', statusAt: NOW - 120 * MINUTE } as const;
const upgrade = {
  able: true,
  platform: 'darwin-arm64',
  attempt: 'a',
  version: '1.1.0',
  error: null,
} as const;
const finding = { found: 'x', fix: null };

const cases: [given: Partial<Host>, state: string, why: string, conditions: string[]][] = [
  [{}, 'active', '', []],
  [{ status: 'pending', tier: null, connected: false }, 'pending', 'waits for approval and a tier', []],
  [{ status: 'pending' }, 'pending', 'waits for approval', []],
  [{ ...away, lastSeenAt: null }, 'away', 'never connected since it was enrolled 40m ago', []],
  [away, 'away', 'away for 12m', []],
  [drained, 'draining', 'drained by ann 2h ago', []],
  [{ ...drained, reason: 'new switch' }, 'draining', 'drained by ann 2h ago: new switch', []],
  [{ status: 'draining' }, 'draining', 'drained', []],
  [{ ...drained, ...away }, 'draining', 'drained by ann 2h ago; away for 12m', ['away']],
  [{ draining: true }, 'active', 'drained by its own configuration', ['draining']],
  [{ ...drained, draining: true }, 'draining', 'drained by ann 2h ago; drained by its own configuration', []],
  [
    { status: 'cordoned', statusBy: 'operator token', statusAt: NOW, reason: 'loud fan' },
    'cordoned',
    'cordoned by operator token 0s ago: loud fan',
    [],
  ],
  [
    { blocked: { code: 'vm_limit', message: 'two others run.' } },
    'active',
    'cannot create Macs: two others run.',
    ['blocked'],
  ],
  [
    { ...away, credentialConflict: { at: NOW - 3 * MINUTE, addresses: ['192.0.2.1', '192.0.2.7'] } },
    'away',
    `two agents used its credential (${CONFLICT_AT}), from 192.0.2.1, 192.0.2.7; away for 12m`,
    ['credential_conflict'],
  ],
  [
    { credentialConflict: { how: 'other_machine', at: NOW - 3 * MINUTE, addresses: ['192.0.2.1', '192.0.2.7'] } },
    'active',
    `another machine used its credential (${CONFLICT_AT}), from 192.0.2.7 (before: 192.0.2.1)`,
    ['credential_conflict'],
  ],
  [
    { credentialConflict: { how: 'other_machine', at: NOW - 3 * MINUTE, addresses: [UNKNOWN_ADDRESS, '192.0.2.7'] } },
    'active',
    `another machine used its credential (${CONFLICT_AT}), from 192.0.2.7`,
    ['credential_conflict'],
  ],
  [
    { linkAddress: { site_url: 'https://a.example', move: null }, moveTo: 'https://b.example' },
    'active',
    'moving to https://b.example',
    ['moving'],
  ],
  [{ diskLow: true }, 'active', '0.8 GiB free, less than the reserve of 0.0 GiB: takes no builds', ['disk_low']],
  [
    {
      health: {
        checked_at: NOW,
        findings: [
          { check: 'sleep', status: 'failed', ...finding },
          { check: 'disk', status: 'warning', ...finding },
        ],
      },
    },
    'active',
    'unhealthy: sleep',
    ['unhealthy'],
  ],
  [{ health: { checked_at: NOW, findings: [{ check: 'sleep', status: 'warning', ...finding }] } }, 'active', '', []],
  [{ upgrade: { ...upgrade, state: 'idle' } }, 'active', '', []],
  [{ upgrade: { ...upgrade, state: 'trying' } }, 'active', 'upgrading to 1.1.0 (trying)', ['upgrading']],
  [
    { upgrade: { ...upgrade, state: 'rolled_back', error: 'not welcomed in 60 s' } },
    'active',
    'upgrade to 1.1.0 rolled back: not welcomed in 60 s',
    [],
  ],
  [{ upgrade: { ...upgrade, version: null, state: 'failed' } }, 'active', 'upgrade failed', []],
  [
    { linkAddress: { site_url: 'https://a.example', move: { to: 'https://b.example', error: 'refused' } } },
    'active',
    'moving to https://b.example, not yet: refused',
    ['moving'],
  ],
  [
    { ...drained, ...away, status: 'removed', reason: 'sold', diskLow: true },
    'removed',
    'removed by ann 2h ago: sold',
    ['disk_low'],
  ],
];

t.test('every state and condition has its sentence', async (t) => {
  const said = new Set<string | null>();
  for (const [given, state, why, conditions] of cases) {
    const host = { ...healthy, ...given };
    const title = why || JSON.stringify(given);
    t.equal(stateOf(host), state, title);
    const reasons = reasonsOf(host, NOW);
    t.equal(reasons.map(({ text }) => text).join('; '), why);
    for (const reason of reasons) {
      said.add(reason.code);
      t.equal(say(hostReasons, 'en', reason), reason.text, 'made from the code and the values');
      t.match(say(hostReasons, 'ko', reason), /[가-힣]/u);
    }
    t.same(conditionsOf(host, false).sort(), [state, ...conditions].sort(), `conditions of ${title}`);
  }
  t.same(
    Object.keys(hostReasons).filter((code) => !said.has(code)),
    ['mac_not_made'],
    'every other reason is in the table',
  );
  t.ok(conditionsOf(healthy, true).includes('macs_failing'));
  const met = new Set(['macs_failing', ...cases.flatMap(([, state, , conditions]) => [state, ...conditions])]);
  t.same(
    [...STATES].filter((state) => !met.has(state)),
    [],
    'every word that --state accepts is in the table',
  );
});
