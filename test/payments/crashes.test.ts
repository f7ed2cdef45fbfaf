// The program dies: before and after each of its commits, and in the middle of a request to the provider. Started
// again, its workers bring everything to one end, and the person can go on.
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { requestRefund } from '../../control-plane/payments/app/refunds.js';
import { openSqlite } from '../../control-plane/platform/store/sqlite.js';
import { systemClock } from '../../shared/clock.js';
import { putMigratedDatabase } from '../harness/migrated-database.js';
import { type FakePortone, startFakePortone } from './fake-portone.js';
import { killDuring } from './killed-payer.js';
import { Died, mortal } from './mortal-store.js';
import {
  addOrder,
  agreed,
  browser,
  composeTestPayments,
  MINUTE,
  moneyProblems,
  portoneSettings,
  type Rig,
  type Settings,
  seed,
  startPortoneRig,
  startRig,
} from './rig.js';

interface Scenario {
  name: string;
  start(t: Test): Promise<{ rig: Rig; fake: FakePortone | null; settings: Settings }>;
  /** What is done before anything may die. */
  prepare?(rig: Rig, fake: FakePortone | null, orderNo: string): Promise<void>;
  act(rig: Rig, fake: FakePortone | null, orderNo: string): Promise<void>;
  /** The person tries again after the crash, unless it is done. Default: as before. */
  again?(rig: Rig, fake: FakePortone | null, orderNo: string): Promise<unknown>;
  ends: { state: string; held: number };
}

const portone = (manualConfirm: boolean) => async (t: Test) => startPortoneRig(t, { manualConfirm });
const local = (provider: 'sandbox' | 'approval') => async (t: Test) => {
  const settings: Settings = { provider };
  return { rig: await startRig(t, settings), fake: null, settings };
};
const pay = (rig: Rig, orderNo: string) => rig.payments.pay(rig.caller, orderNo, agreed);
const confirm = (rig: Rig, fake: FakePortone | null, orderNo: string) =>
  rig.payments.confirm(rig.caller, orderNo, browser(fake?.token(orderNo)));
const chargeOnce = (fake: FakePortone | null, orderNo: string) => {
  if (fake && !fake.payments.get(orderNo)?.paidAt) fake.charge(orderNo);
};

const scenarios: Scenario[] = [
  ...(['sandbox', 'approval'] as const).map((provider) => ({
    name: `${provider}: pay`,
    start: local(provider),
    act: async (rig: Rig, _: unknown, orderNo: string) => void (await pay(rig, orderNo)),
    ends: { state: 'paid paid', held: provider === 'sandbox' ? 10_000 : 0 },
  })),
  {
    name: 'PortOne with manual confirm: pay and confirm',
    start: portone(true),
    async act(rig, fake, orderNo) {
      await pay(rig, orderNo);
      await confirm(rig, fake, orderNo);
    },
    ends: { state: 'paid paid', held: 10_000 },
  },
  {
    name: 'PortOne where the window charges: pay and come back',
    start: portone(false),
    async act(rig, fake, orderNo) {
      await pay(rig, orderNo);
      chargeOnce(fake, orderNo);
      await confirm(rig, fake, orderNo);
    },
    ends: { state: 'paid paid', held: 10_000 },
  },
  {
    name: 'PortOne: a message, then a refund',
    start: portone(false),
    async prepare(rig, fake, orderNo) {
      await pay(rig, orderNo);
      chargeOnce(fake, orderNo);
    },
    async act(rig, fake, orderNo) {
      if (fake) await rig.tell(fake.webhook('Transaction.Paid', orderNo));
      await rig.work();
      await refund(rig, orderNo);
      await rig.work();
    },
    async again(rig, _, orderNo) {
      const asked = await rig.store.get('SELECT 1 FROM payment_cancellations WHERE order_no = :orderNo', {
        orderNo,
      });
      if (!asked) await refund(rig, orderNo);
    },
    ends: { state: 'paid cancelled', held: 0 },
  },
  {
    name: 'PortOne: paid too late',
    start: portone(false),
    async prepare(rig, fake, orderNo) {
      await pay(rig, orderNo);
      await rig.expire(orderNo);
      chargeOnce(fake, orderNo);
    },
    async act(rig, fake, orderNo) {
      if (fake) await rig.tell(fake.webhook('Transaction.Paid', orderNo));
      await rig.work();
    },
    again: async () => undefined,
    ends: { state: 'expired late', held: 0 },
  },
];

const refund = (rig: Rig, orderNo: string) =>
  rig.deps.store.transaction((tx) =>
    requestRefund(tx, rig.deps, { orderNo, accountId: 1, amountWon: 10_000, reason: 'no_capacity' }),
  );

for (const { name, start, prepare, act, again = act, ends } of scenarios) {
  t.test(`${name}, dying at every commit`, async (t) => {
    const { rig, fake, settings } = await start(t);
    const run = async (dies: Parameters<typeof mortal>[1]) => {
      const { orderNo } = await rig.order();
      await prepare?.(rig, fake, orderNo);
      const life = mortal(rig.store, dies);
      rig.restart(settings, life.store);
      const failure = await act(rig, fake, orderNo).then(
        () => null,
        (error: unknown) => error,
      );
      if (failure !== null && !(failure instanceof Died) && !String(failure).includes('ApiError')) throw failure;
      rig.restart(settings);
      return { orderNo, commits: life.commits() };
    };
    const { orderNo, commits } = await run(null);
    t.equal(await rig.see(orderNo), ends.state);
    t.ok(commits >= 3, `${commits} commits`);
    for (let at = 1; at <= commits; at++) {
      for (const when of ['before', 'after'] as const) {
        const { orderNo } = await run({ at, when });
        await rig.pass(3 * MINUTE, MINUTE / 2);
        await rig.checkMoney(t);
        if ((await rig.see(orderNo)) !== ends.state) await again(rig, fake, orderNo);
        await rig.pass(3 * MINUTE, MINUTE / 2);
        t.equal(await rig.see(orderNo), ends.state, `${when} commit ${at} of ${commits}`);
        if (fake) t.equal(fake.held([orderNo]), ends.held);
        await rig.checkMoney(t);
      }
    }
  });
}

t.test('a process that is killed while the provider works on its request', async (t) => {
  const cases = [
    ['before the charge, which is made all the same', 'before'],
    ['after the charge, before the answer', 'after'],
  ] as const;
  for (const [name, when] of cases) {
    await t.test(name, async (t) => {
      const fake = await startFakePortone(t, systemClock);
      const settings: Settings = { provider: 'portone', portone: portoneSettings(fake) };
      const file = join(t.testdir(), 'killed.db');
      await putMigratedDatabase(file);
      const store = openSqlite(file);
      t.teardown(() => store.close());
      const caller = await seed(store, systemClock.now());
      const { orderNo } = await addOrder(store, caller, 'RT-KILLED1', 10_000, systemClock.now());
      const parts = composeTestPayments(store, systemClock, settings);
      await parts.payments.pay(caller, orderNo, agreed);

      await killDuring(t, fake, { step: 'confirm', when, file, caller, orderNo, paymentToken: fake.token(orderNo) });
      const left = await parts.payments.read(caller, orderNo);
      t.match(left, { order: { status: 'awaiting_payment' }, payment: { status: 'confirming' } });
      await fake.idle();
      await store.run('UPDATE payments SET fetch_at = 0');
      await parts.work();
      const then = await parts.payments.read(caller, orderNo);
      t.match(then, { order: { status: 'paid' }, payment: { status: 'paid' } });
      t.same(await moneyProblems(store, fake.held()), []);
    });
  }
});
