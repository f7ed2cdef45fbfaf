// Changes of Macs as pure decisions: loops over whole tables.
import fc from 'fast-check';
import t from 'tap';
import { desiredMacOf, setupIfReady } from '../../control-plane/macs/domain/desired-mac.js';
import {
  type JobEvent,
  type JobStatus,
  jobEvents,
  jobKinds,
  jobStatuses,
  jobTransitions,
  whenChoices,
} from '../../control-plane/macs/domain/job.js';
import { type Mac, type MacState, macTransitions, type OpenJob } from '../../control-plane/macs/domain/mac.js';
import {
  type Change,
  type ChangeDecision,
  decideChange,
  decideMacFact,
  eventOfStart,
  type MacFactDecision,
  makesNewMac,
  newMacWait,
} from '../../control-plane/macs/domain/maintenance.js';
import { defaultLimits } from '../../control-plane/platform/domain/limits.js';
import { type MacStep, planOf, progressOf } from '../../host-agent/daemon/macs/plan.js';
import type { MacRecord } from '../../host-agent/driver/driver.js';
import type { MacFact } from '../../shared/protocol/index.js';
import { desiredMac } from '../harness/desired-mac.js';
import { digestOf } from '../harness/images.js';
import { HOUR, MINUTE, macAt, NOW } from '../harness/macs-and-builds.js';

const reset = (keepCache: boolean, when: Change['when'] = null): Change => ({
  kind: 'reset',
  target: { keepCache },
  when,
});
const xcode = (version: string, when: Change['when'] = null): Change => ({
  kind: 'xcode',
  target: { keepCache: true, xcode: version },
  when,
});
const setup = (target: Partial<Change['target']>): Change => ({
  kind: 'setup',
  target: { keepCache: true, ...target },
  when: null,
});
const job = (given: Partial<OpenJob> = {}): OpenJob => ({
  jobId: 'op_1',
  kind: 'reset',
  status: 'running',
  target: { keepCache: false },
  revision: 2,
  progress: null,
  ...given,
});
const tier = { tierRuntimes: ['iOS 26.1', 'iOS 18.5'], tierTools: ['fastlane', 'tuist'] };
const mac = (given: Parameters<typeof macAt>[1] = {}) =>
  macAt('rt_1', { xcode: '16.2', runtimes: ['iOS 26.1'], tools: [], ...tier, ...given });
const decide = (
  macNow: Parameters<typeof decideChange>[0],
  change: Change,
  newMacs: readonly number[] = [],
  now = NOW,
) => decideChange(macNow, change, newMacs, now, defaultLimits);
const word = (decision: ChangeDecision): string => (decision.result === 'rejected' ? decision.reason : decision.result);

t.test('a job goes from queued to running to done, and may fail at any time before', async (t) => {
  const expected: Record<JobStatus, Partial<Record<JobEvent, JobStatus>>> = {
    queued: { start: 'running', fail: 'failed' },
    running: { finish: 'done', fail: 'failed' },
    done: {},
    failed: {},
  };
  for (const status of jobStatuses) {
    for (const event of jobEvents) {
      t.equal(jobTransitions[status][event], expected[status][event] ?? null, `${status} ${event}`);
    }
  }
});

t.test('a change starts on an idle Mac, or waits for a build or for provisioning', async (t) => {
  const states = ['reserved', 'preparing', 'ready', 'building', 'resetting', 'updating'] as const;
  const yes = (start: boolean, cancel = false) => ({ result: 'accepted', start, cancel }) as const;
  const table: Record<(typeof states)[number], [unknown, unknown, unknown]> = {
    // when:               null                after_build   now
    reserved: ['rental_not_active', 'rental_not_active', 'rental_not_active'],
    preparing: [yes(false), yes(false), yes(false)],
    ready: [yes(true), yes(true), yes(true)],
    building: ['rental_busy', yes(false), yes(false, true)],
    resetting: [yes(false), yes(false), yes(false)],
    updating: [yes(false), yes(false), yes(false)],
  };
  for (const state of states) {
    for (const [index, when] of [null, ...whenChoices].entries()) {
      for (const change of [reset(true, when), reset(false, when), xcode('16.1', when)]) {
        const decision = decide(mac({ state }), change);
        const seen = decision.result === 'rejected' ? decision.reason : decision;
        t.same(seen, table[state][index], `${state}, ${change.kind}, when ${when}`);
      }
    }
  }
  t.equal(word(decide(null, reset(true))), 'rental_not_active', 'a rental that has ended');
});

t.test('the first problem to solve is reported first', async (t) => {
  // Each row puts one more thing right.
  const all = {
    state: 'reserved',
    openJob: job(),
    tierRuntimes: [],
  } as const;
  const limit = [NOW - MINUTE];
  const change = { ...setup({ runtimes: ['iOS 18.5'], keepCache: false }) };
  t.equal(word(decide(mac(all), change, limit)), 'rental_not_active');
  t.equal(word(decide(mac({ ...all, state: 'building' }), change, limit)), 'invalid_setup');
  t.equal(word(decide(mac({ state: 'building', openJob: job() }), change, limit)), 'job_in_progress');
  t.equal(word(decide(mac({ state: 'building' }), change, limit)), 'reset_limit');
  t.equal(word(decide(mac({ state: 'building' }), change)), 'rental_busy');
  t.equal(word(decide(mac({ state: 'building' }), { ...change, when: 'now' })), 'accepted');
  const running = { state: 'building', openJob: job() } as const;
  t.equal(word(decide(mac(running), xcode('16.2'))), 'job_in_progress', 'it may be about to change');
  t.equal(word(decide(mac({ state: 'building' }), xcode('16.2'))), 'unchanged', 'nothing is in its way');
});

t.test('refusals list the possible choices', async (t) => {
  const rows: [Change, string, object][] = [
    [xcode('99'), 'xcode_not_available', { options: ['16.2', '16.1'] }],
    [setup({ xcode: '99' }), 'invalid_setup', { field: 'xcode', options: ['16.2', '16.1'] }],
    [setup({ runtimes: ['x'] }), 'invalid_setup', { field: 'runtimes', options: tier.tierRuntimes }],
    [setup({ tools: ['fastlane', 'x'] }), 'invalid_setup', { field: 'tools', options: tier.tierTools }],
    [setup({}), 'invalid_setup', { field: null, options: ['name', 'xcode', 'runtimes', 'tools'] }],
    [setup({ xcode: '16.2' }), 'invalid_setup', { field: 'xcode', options: ['16.2', '16.1'] }],
    [
      setup({ runtimes: ['iOS 26.1'], tools: [], keepCache: false }),
      'invalid_setup',
      { field: 'runtimes', options: tier.tierRuntimes },
    ],
  ];
  for (const [change, reason, detail] of rows) {
    t.match(decide(mac(), change), { result: 'rejected', reason, detail, retryAfterS: null });
  }
  t.match(decide(mac({ openJob: job() }), reset(true)), {
    reason: 'job_in_progress',
    detail: { job_id: 'op_1' },
  });
  for (const target of [{ runtimes: [] }, { runtimes: ['iOS 18.5', 'iOS 26.1'] }, { tools: ['tuist'] }]) {
    t.equal(word(decide(mac(), setup(target))), 'accepted', JSON.stringify(target));
  }
});

t.test('new VMs are limited per 10 minutes and per day, in sliding windows', async (t) => {
  for (const change of [reset(false), setup({ tools: ['tuist'], keepCache: false })]) {
    t.ok(makesNewMac(change));
    const at = (minutesAgo: number) => decide(mac(), change, [NOW - minutesAgo * MINUTE]);
    t.match(at(0), { reason: 'reset_limit', retryAfterS: 600 });
    t.match(decide(mac(), change, [NOW - 10 * MINUTE + 1]), { reason: 'reset_limit', retryAfterS: 1 });
    t.equal(word(at(10)), 'accepted', 'to the millisecond');
    const twenty = Array.from({ length: 20 }, (_, n) => NOW - HOUR - n * HOUR);
    t.match(decide(mac(), change, twenty), { reason: 'reset_limit', retryAfterS: 4 * 3600 });
    t.equal(word(decide(mac(), change, twenty.slice(1))), 'accepted');
    t.equal(word(decide(mac(), change, twenty, NOW + 4 * HOUR)), 'accepted');
  }
  for (const change of [reset(true), xcode('16.1'), setup({ tools: ['tuist'] })]) {
    t.notOk(makesNewMac(change));
    t.equal(word(decide(mac(), change, [NOW])), 'accepted', `${change.kind} keeps the Mac`);
  }
});

t.test('a retry after the given delay is accepted, and no earlier one', async () => {
  const limits = { reset_every_ms: 10 * MINUTE, resets_per_day: 3 };
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 25 * HOUR }), { maxLength: 8 }), (ages) => {
      const newMacs = ages.map((age) => NOW - age);
      const wait = newMacWait(newMacs, NOW, limits);
      const allowed = (now: number) =>
        newMacs.every((at) => now - at >= limits.reset_every_ms) &&
        newMacs.filter((at) => now - at < 24 * HOUR).length < limits.resets_per_day;
      return allowed(NOW + wait) && (wait === 0 || !allowed(NOW + wait - 1));
    }),
  );
});

t.test('the desired state of a Mac follows only the running job', async (t) => {
  const tierSpec = { chip: '', cpu_cores: 8, memory_gb: 16, disk_gb: 0, macos: '' };
  const onNewMac = {
    xcodeVersions: ['16.2', '16.1'],
    defaultXcode: '16.2',
    runtimes: ['iOS 26.1'],
    tools: [],
  };
  const here = mac({ generation: 3, revision: 5, image: 'img', imageDigest: 'sha256:1', tierSpec, onNewMac });
  const plain = desiredMac({
    slot_id: here.slotId,
    rental_id: 'rt_1',
    account_id: 1,
    generation: 3,
    revision: 5,
    image_digest: 'sha256:1',
    cpu_cores: 8,
    memory_gb: 16,
    disk_gb: null,
    image: 'img',
    xcode: '16.2',
    runtimes: ['iOS 26.1'],
    tools: [],
  });
  const rows: [Partial<OpenJob> | null, object][] = [
    [null, {}],
    [{ kind: 'provision' }, {}],
    [{ kind: 'reset', target: { keepCache: false } }, {}],
    [{ kind: 'reset', target: { keepCache: true } }, { empty_work: true }],
    [{ kind: 'reset', target: { keepCache: true }, status: 'queued' }, {}],
    [{ kind: 'xcode', target: { keepCache: true, xcode: '16.1' } }, { xcode: '16.1' }],
    [{ kind: 'xcode', target: { keepCache: true, xcode: '16.1' }, status: 'queued' }, {}],
    [
      { kind: 'setup', target: { keepCache: true, runtimes: [], tools: ['tuist'] } },
      { runtimes: [], tools: ['tuist'] },
    ],
  ];
  for (const [open, difference] of rows) {
    const openJob = open && job(open);
    t.same(desiredMacOf({ ...here, openJob }), { ...plain, ...difference }, JSON.stringify(open));
  }
  t.same(desiredMacOf({ ...here, repairing: true }), { ...plain, repair: true });

  t.test('a new Mac gets what the present image of its tier has', async (t) => {
    const onNewMac = {
      xcodeVersions: ['26.0', '26.1'],
      defaultXcode: '26.1',
      runtimes: ['iOS 26'],
      tools: ['tuist'],
    };
    const old = { image: 'img', xcode: '16.2', runtimes: ['iOS 18', 'iOS 26'], tools: ['old'], onNewMac };
    const kept = { xcode: '16.2', runtimes: old.runtimes, tools: ['old'] };
    const fresh = { xcode: '26.1', runtimes: ['iOS 26'], tools: [] };
    const reset = (keepCache: boolean) => job({ kind: 'reset', target: { keepCache } });
    const rows: [string, Partial<Mac>, object][] = [
      ['an existing Mac keeps what it has', { state: 'ready' }, kept],
      ['a reset that keeps caches', { state: 'resetting', openJob: reset(true) }, kept],
      ['a change of its Xcode', { state: 'updating', openJob: job({ target: { keepCache: true } }) }, kept],
      ['a new virtual machine', { state: 'resetting', openJob: reset(false) }, fresh],
      ['made anew', { state: 'preparing' }, fresh],
      ['an Xcode that is there', { state: 'preparing', xcode: '26.0' }, { ...fresh, xcode: '26.0' }],
      ['none selected', { state: 'preparing', xcode: null }, { ...fresh, xcode: null }],
      ['without an image', { state: 'preparing', image: null }, kept],
    ];
    for (const [name, given, expected] of rows) t.match(desiredMacOf(mac({ ...old, ...given })), expected, name);

    const [A, B] = [digestOf('a'), digestOf('b')];
    const ready = (given: Partial<Mac>, xcode: string | null, image_digest: string | null = B) =>
      setupIfReady(mac({ ...old, ...given }), { xcode, image_digest });
    const made = { state: 'preparing' } as const;
    t.same(ready(made, '26.1'), { ...fresh, madeFrom: B });
    t.same(ready(made, null), { ...fresh, madeFrom: B });
    t.match(
      ready({ ...made, xcodeVersions: ['16.2'] }, '16.2', A),
      { xcode: '16.2', madeFrom: A },
      'its host was away',
    );
    t.match(ready({ ...made, xcode: null }, '26.0'), { xcode: '26.0' }, 'the one of the image');
    t.match(ready(made, 'invented'), { xcode: '26.1' });
    t.same(ready({ state: 'updating' }, '16.2', null), { ...kept, madeFrom: null });
    t.same(ready({ ...made, image: null }, '16.2'), {});
  });
});

const states = [
  'reserved',
  'preparing',
  'ready',
  'building',
  'resetting',
  'updating',
  'ended',
] as const satisfies readonly MacState[];

t.test('every report about every Mac has exactly one effect', async (t) => {
  const refused = { revision: 2, code: 'failed', message: 'no room' } as const;
  const progress = { step: 'create', percent: 40 } as const;
  const facts = (['ready', 'preparing', 'failed', 'empty'] as const).flatMap((state) =>
    [1, 2, 3].flatMap((revision) =>
      [null, refused, { ...refused, revision: 1 }].flatMap((refusal) =>
        [null, progress].map((told): MacFact => {
          const base = { slot_id: 's', rental_id: 'rt_1', generation: 4, xcode: '16.2', error: null };
          return { ...base, state, revision, refused: refusal, progress: told };
        }),
      ),
    ),
  );
  const jobs = [null, ...jobKinds.map((kind) => job({ kind })), job({ status: 'queued' })];
  let seen = 0;
  for (const state of states) {
    for (const openJob of jobs) {
      for (const fact of facts) {
        seen += 1;
        const mac = { generation: 4, revision: 2, xcode: '16.2', prepareFailed: false, repairAt: null };
        const here = { ...mac, state, openJob };
        const name = `${state} ${openJob?.kind} ${openJob?.status} ${JSON.stringify(fact)}`;
        t.same(decideMacFact(here, { ...fact, generation: 3 }), { does: 'nothing' }, `old: ${name}`);
        const again = { ...here, prepareFailed: true };
        const repeated = expected(here, fact) === 'not_made' ? 'nothing' : expected(here, fact);
        const waits = expected(here, fact) === 'prepared' ? 'nothing' : expected(here, fact);
        t.equal(decideMacFact({ ...here, repairAt: 1 }, fact).does, waits, `waits for repair: ${name}`);
        t.equal(decideMacFact(again, fact).does, repeated, `known to have failed: ${name}`);
        t.equal(decideMacFact(here, fact).does, expected(here, fact), name);
      }
    }
  }
  t.ok(seen > 1000);

  function expected(here: { state: MacState; openJob: OpenJob | null }, fact: MacFact): MacFactDecision['does'] {
    const reached = fact.state === 'ready' && fact.revision === 2;
    const tells = here.openJob?.status === 'running' && fact.progress ? 'progress' : 'nothing';
    if (here.state === 'preparing') {
      if (reached) return 'prepared';
      const changes = here.openJob?.status === 'running' && here.openJob.kind !== 'provision';
      if (changes && fact.refused?.revision === 2) return 'job_failed';
      return fact.state === 'failed' ? 'not_made' : tells;
    }
    if (here.state === 'ready') return fact.state === 'ready' ? 'nothing' : 'lost';
    if (here.state === 'building') return fact.state === 'failed' ? 'lost' : 'nothing';
    if (here.state === 'resetting' || here.state === 'updating') {
      if (reached) return 'job_done';
      return here.openJob && fact.refused?.revision === 2 ? 'job_failed' : tells;
    }
    return 'nothing';
  }
});

t.test('a failed change leaves the Mac as it was, or recreated', async (t) => {
  const fact = (given: Partial<MacFact>): MacFact => ({
    slot_id: 's',
    rental_id: 'rt_1',
    generation: 1,
    revision: 1,
    xcode: '16.2',
    state: 'ready',
    progress: null,
    error: null,
    refused: { revision: 2, code: 'failed', message: 'no room' },
    ...given,
  });
  const here = {
    state: 'updating',
    generation: 1,
    revision: 2,
    xcode: '16.2',
    openJob: job(),
    prepareFailed: false,
    repairAt: null,
  } as const;
  const fate = (given: Partial<MacFact>) => {
    const decision = decideMacFact(here, fact(given));
    return decision.does === 'job_failed' ? decision.mac : decision.does;
  };
  t.equal(fate({}), 'ready');
  t.equal(fate({ xcode: null }), 'anew', 'which Xcode is selected is not known any more');
  t.equal(fate({ xcode: '16.1' }), 'anew');
  t.equal(fate({ state: 'failed' }), 'anew');
  const errors = jobKinds.flatMap((kind) =>
    (['failed', 'not_installed'] as const).map((code) => {
      const refused = { revision: 2, code, message: 'm' };
      const decision = decideMacFact({ ...here, openJob: job({ kind }) }, fact({ refused }));
      return [kind, code, decision.does === 'job_failed' && decision.error];
    }),
  );
  t.same(errors, [
    ['provision', 'failed', 'provision_failed'],
    ['provision', 'not_installed', 'provision_failed'],
    ['reset', 'failed', 'reset_failed'],
    ['reset', 'not_installed', 'reset_failed'],
    ['xcode', 'failed', 'xcode_failed'],
    ['xcode', 'not_installed', 'xcode_not_available'],
    ['setup', 'failed', 'setup_failed'],
    ['setup', 'not_installed', 'setup_failed'],
  ]);
});

t.test('the state of a Mac says what is done to it', async (t) => {
  const into = (kind: 'reset' | 'xcode' | 'setup') => macTransitions.ready[eventOfStart(kind)];
  t.same([into('reset'), into('xcode'), into('setup')], ['resetting', 'updating', 'updating']);
});

t.test('on the host: every pair of actual and desired Mac has a plan', async (t) => {
  const want = desiredMac({
    generation: 2,
    revision: 5,
    xcode: '26.1',
    runtimes: ['iOS 26.1', 'iOS 18.5'],
    tools: ['tuist'],
  });
  const record: MacRecord = {
    rental_id: 'rt_1',
    account_id: 1,
    generation: 2,
    revision: 4,
    xcode: '26.0',
    runtimes: ['iOS 26.1'],
    tools: [],
  };
  const words = (steps: readonly MacStep[]) => steps.map((step) => Object.values(step).join(' ')).join(', ');
  const whole = 'create, xcode 26.1, runtime iOS 26.1, runtime iOS 18.5, tool tuist';
  const rows: [string, Parameters<typeof planOf>[0], Partial<typeof want>, string][] = [
    ['an empty slot', 'none', {}, whole],
    ['an empty slot, of which nothing is to be kept', 'none', { empty_work: true }, whole],
    ['one that broke off', 'broken', {}, `remove, ${whole}`],
    ["another tenant's", { ...record, rental_id: 'rt_0' }, {}, `remove, ${whole}`],
    ['an older one', { ...record, generation: 1 }, {}, `remove, ${whole}`],
    ['the same at another revision', record, {}, 'xcode 26.1, runtime iOS 18.5, tool tuist'],
    ['another Xcode only', record, { runtimes: [], tools: [] }, 'xcode 26.1'],
    ['work to be emptied', record, { xcode: '26.0', runtimes: [], tools: [], empty_work: true }, 'empty_work'],
    ['no particular Xcode', record, { xcode: null, runtimes: [], tools: [] }, ''],
    ['not known which Xcode', { ...record, xcode: null }, { runtimes: [], tools: [] }, 'xcode 26.1'],
    ['ahead, after the database went back', { ...record, revision: 9 }, { tools: [] }, 'xcode 26.1, runtime iOS 18.5'],
    ['to be repaired', record, { repair: true, xcode: '26.0', runtimes: [] }, 'repair, tool tuist'],
    ['to be repaired, and another generation', record, { repair: true, generation: 9 }, `remove, ${whole}`],
    ['reached', { ...record, revision: 5 }, { empty_work: true }, ''],
  ];
  t.equal(words(planOf({ ...record, revision: 5 }, want, true)), 'start', 'switched off');
  t.equal(words(planOf(record, { ...want, runtimes: [], tools: [] }, true)), 'start, xcode 26.1');
  const repaired = { ...want, repair: true, xcode: '26.0', runtimes: [], tools: [] };
  t.equal(words(planOf(record, repaired, true)), 'repair', 'which starts it, or makes a new one if it does not boot');
  t.equal(words(planOf('none', want, true)), whole);
  t.equal(words(planOf({ ...record, generation: 1 }, want, true)), `remove, ${whole}`);
  for (const [name, have, difference, steps] of rows) {
    t.equal(words(planOf(have, { ...want, ...difference })), steps, name);
  }
});

t.test('the progress of a plan rises from none to complete for any reports of its steps', async (t) => {
  const steps = planOf('broken', desiredMac({ revision: 2, xcode: '26.1', tools: ['a', 'b'] }));
  let last = -1;
  for (let index = 0; index < steps.length; index++) {
    for (const percent of [-5, 0, 50, 100, 900]) {
      const now = progressOf(steps, index, percent)?.percent ?? -1;
      t.ok(now >= (percent <= 0 ? 0 : last) && now <= 100, `${index} ${percent}: ${now}`);
      last = Math.max(last, now);
    }
  }
  t.equal(last, 100);
  t.same(
    steps.map((_, index) => progressOf(steps, index, 0)?.step),
    ['remove', 'create', 'xcode', 'tools', 'tools'],
  );
  t.equal(progressOf(steps, steps.length, 0), null);
});
