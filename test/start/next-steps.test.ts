// What the start document tells a program to do next, for an account in each state that it can be in.
import t from 'tap';
import type { BuildFailure } from '../../control-plane/builds/domain/build.js';
import type { Caller, Level } from '../../control-plane/platform/domain/caller.js';
import { defaultLimits } from '../../control-plane/platform/domain/limits.js';
import type { TierOnSale } from '../../control-plane/renting/app/catalog.js';
import type { PlacedEntry } from '../../control-plane/renting/domain/waitlist.js';
import type { StartFacts, StartMac, StartOrder } from '../../control-plane/start/app/start.js';
import { accountStart, publicStart } from '../../control-plane/start/http/start-document.js';
import { macLine, nextSteps } from '../../control-plane/start/http/start-next-steps.js';
import { m4 } from '../harness/samples.js';

const NOW = Date.parse('2026-03-01T09:00:00Z');
const HOUR_S = 3600;

const mac: StartMac = {
  rentalId: 'rt_1',
  name: 'Mac 1',
  tier: 'm4',
  state: 'ready',
  xcode: '16.2',
  startsAt: NOW,
  remainingS: 100 * HOUR_S,
  granted: false,
  endless: false,
  takesBuilds: true,
  problem: null,
  maxExtendDays: 5,
};
const order: StartOrder = {
  orderNo: 'RT-1',
  kind: 'rental',
  units: 2,
  hours: 48,
  amountWon: 40_000,
  extends: [],
  payUrl: 'https://macs.example/pay/RT-1',
  payUntil: NOW,
  startAt: null,
};
const tier = (free: number, waitlist: readonly PlacedEntry[] = []): TierOnSale => ({
  tier: {
    ...m4,
    name: 'M4',
    priceWon: 20_000,
  },
  availability: { tier: 'm4', total: 4, free, orderable: free, reserved: 0, inUse: 0, waitingUnits: 0 },
  waitlist,
});
const entry: PlacedEntry = {
  entryId: 'wl_1',
  accountId: 1,
  tier: 'm4',
  units: 1,
  status: 'waiting',
  createdAt: NOW,
  notifiedAt: null,
  position: 1,
};

const facts = (changed: Partial<StartFacts>): StartFacts => ({
  tiers: [tier(1)],
  macs: [],
  orders: [],
  queue: { running: 0, queued: 0 },
  lastBuild: null,
  now: NOW,
  ...changed,
});
const every: readonly Level[] = ['read', 'build', 'manage'];

function steps(changed: Partial<StartFacts>, levels: readonly Level[] = every, paymentsBlocked = false) {
  const account: Caller['account'] = {
    id: 1,
    orgId: 'org_1',
    name: 'Press',
    slug: 'press',
    status: 'active',
    paymentsBlocked,
    limits: {},
  };
  const all = nextSteps({ levels, account }, facts(changed));
  return levels.includes('read') ? all.slice(0, -1) : all;
}

t.test('an account with a Mac', async (t) => {
  const macs = (...states: Partial<StartMac>[]) => ({ macs: states.map((state) => ({ ...mac, ...state })) });
  t.match(steps(macs({})), [/^A Mac is ready: build/]);
  t.match(steps(macs({ state: 'building' }, { state: 'resetting' })), [/^Every Mac is busy/]);
  t.match(steps(macs({ state: 'building' }, {})), [/^A Mac is ready/]);
  for (const state of ['preparing', 'resetting', 'updating']) {
    t.match(steps(macs({ state })), [`No Mac takes builds right now (Mac 1 (rt_1) is ${state}): a new build waits`]);
  }
  t.match(steps(macs({ state: 'preparing', takesBuilds: false, problem: 'disk_full' })), [
    /\(Mac 1 \(rt_1\) is taking no builds: The disk of the host is full. The host keeps trying\)/,
  ]);
  t.equal(
    macLine({ ...mac, state: 'preparing', problem: 'disk_full' }),
    '- Mac 1 (rt_1): m4, preparing, Xcode 16.2, 100 h left. The disk of the host is full. The host keeps trying.',
  );
  t.match(steps(macs({ takesBuilds: false })), [/Mac 1 \(rt_1\) is taking no builds/]);
  t.match(steps(macs({}), ['read']), [/cannot start builds: ask a person for a key with the level build/]);
  t.match(steps(macs({}), ['read', 'manage']), [/cannot start builds/]);
  t.match(steps({ ...macs({}), queue: { running: 1, queued: 4 } })[1], /another Mac would shorten the queue/);
  t.equal(steps({ ...macs({}), queue: { running: 1, queued: 3 } }).length, 1);

  const failure: BuildFailure = {
    fault: 'customer',
    step: 'script',
    summary: 'x',
    reasonCode: 'compile_error',
    suggestion: 'y',
    logExcerptLines: null,
    location: null,
  };
  const lastBuild = { buildId: 'rb_1', status: 'failed', failure } as const;
  t.match(
    steps({ ...macs({}), lastBuild })[1],
    'The last build, rb_1, failed (compile_error, fault customer): `GET /builds/rb_1`',
  );
  t.equal(steps({ ...macs({}), lastBuild: { ...lastBuild, status: 'succeeded', failure: null } }).length, 1);

  const ending = macs({ remainingS: 90 * 60 });
  t.match(steps(ending)[1], 'Mac 1 (rt_1) ends in 90 min: `POST /rentals/rt_1/extend`');
  t.match(steps(ending, ['read', 'build'])[1], 'a person or a key with manage can extend it');
  const extension = { ...order, kind: 'extension', extends: ['rt_1'] } as const;
  const open = steps({ ...ending, orders: [extension] });
  t.match(open, [/^Order RT-1 \(48 h more, 40000 won\) waits for a person/, /^A Mac is ready/]);
  t.equal(open.length, 2, 'what waits to be paid is not advised again');
  t.match(steps(ending, every, true), [/^Payments of this account are blocked/, /^A Mac is ready/]);
  t.equal(steps(ending, every, true).length, 2, 'nothing that would be refused');
});

t.test('an account without a Mac', async (t) => {
  const queued = /^A build can be queued before there is a Mac/;
  t.match(steps({}), [/^There is no Mac: order one \(`m4`, 20000 won for 24 h/, queued]);
  t.match(steps({ tiers: [tier(0)] }), [/none is free: `POST \/waitlist` with `{"tier":"m4"}`/, queued]);
  t.match(steps({ tiers: [tier(0, [entry])] }), [/is on the waitlist for `m4`/, queued]);
  t.match(steps({ tiers: [tier(0, [{ ...entry, status: 'notified' }])] }), [/`POST \/waitlist`/, queued]);
  const closed = tier(3);
  t.match(steps({ tiers: [{ ...closed, tier: { ...closed.tier, salesOpen: false } }] }), [/none is free/, queued]);
  t.match(steps({ tiers: [] }), [/no tier is offered yet/, queued]);
  t.match(steps({}, ['read', 'build']), [/this key cannot order one/, queued]);
  t.match(steps({}, ['read']), [/this key cannot order one/, /cannot start builds/]);
  t.match(steps({}, every, true), [/^Payments of this account are blocked/, 'There is no Mac.', queued]);

  t.match(steps({ orders: [order] }), [
    'Order RT-1 (2 Macs for 48 h, 40000 won) waits for a person to pay: show them https://macs.example/pay/RT-1, valid until 2026-03-01T09:00:00.000Z; then `GET /orders/RT-1/wait`.',
    queued,
  ]);
  t.match(steps({ orders: [{ ...order, payUrl: null }] }), [/^Order RT-1 is paid, and its Macs are being/, queued]);
  const reserved = { ...mac, state: 'reserved', takesBuilds: false };
  t.match(steps({ macs: [reserved] }), ['Mac 1 (rt_1) is reserved from 2026-03-01T09:00:00.000Z on.', queued]);
});

t.test('the document of an account offers what the account can order', async (t) => {
  const written = (changed: Partial<StartFacts>, given: { levels?: readonly Level[]; blocked?: boolean } = {}) => {
    const caller: Caller = {
      account: {
        id: 1,
        orgId: 'org_1',
        name: 'Press',
        slug: 'press',
        status: 'active',
        paymentsBlocked: given.blocked ?? false,
        limits: {},
      },
      workspaceId: 'ws_1',
      workspaceIds: ['ws_1'],
      key: null,
      person: null,
      levels: given.levels ?? every,
      ip: '127.0.0.1',
    };
    return accountStart('https://macs.example', caller, facts(changed), defaultLimits);
  };
  const sold = tier(0);
  const m9: TierOnSale = { ...tier(2), tier: { ...tier(2).tier, tier: 'm9' } };
  const withXcode: TierOnSale = {
    ...m9,
    tier: { ...m9.tier, xcodeVersions: ['16.2'], defaultXcode: '16.2' },
  };
  t.match(written({ tiers: [sold, m9] }), `-d '{"tier":"m9","hours":24}'`, 'one that is free');
  t.match(written({ tiers: [sold] }), `-d '{"tier":"m4","hours":24}'`);
  t.notMatch(written({ tiers: [] }), '/orders');
  t.notMatch(written({}, { levels: ['read', 'build'] }), '/orders');
  t.notMatch(written({}, { blocked: true }), '/orders');

  t.notMatch(written({ tiers: [m9] }), '"xcode"', 'no tier has an Xcode');
  t.match(written({ tiers: [withXcode] }), '"queue_until_rental":true,"xcode":"16.2"}');
  t.match(written({ macs: [mac], tiers: [m9] }), '"script":"make test","xcode":"16.2"}');
  t.notMatch(written({ macs: [{ ...mac, xcode: null }], tiers: [m9] }), '"xcode"');
});

t.test('commands of the public document stay within the limits that are set', async (t) => {
  const low = { long_poll_s: 30, log_stream_wait_s: 300, build_timeout_min_max: 5 };
  const page = publicStart('https://macs.example', { ...defaultLimits, ...low });
  t.match(page, /log waits for up to 5 minutes\./);
  t.match(page, '"timeout_min":5,');
  const asked = [...page.matchAll(/[?&](?:timeout|wait)=(\d+)/g)].map(([, seconds]) => Number(seconds));
  t.ok(asked.length > 2, 'the search finds them');
  t.same(
    asked.filter((seconds) => seconds !== 30 && seconds !== 300),
    [],
  );
});
