// The program dies at each commit of a top-up and of its withdrawal, and in the middle of the provider's work on a
// withdrawal. Started again, its workers bring won and credit to one end.
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { openSqlite } from '../../control-plane/platform/store/sqlite.js';
import { systemClock } from '../../shared/clock.js';
import { putMigratedDatabase } from '../harness/migrated-database.js';
import { type FakePortone, startFakePortone } from './fake-portone.js';
import { killDuring } from './killed-payer.js';
import { Died, mortal } from './mortal-store.js';
import {
  agreed,
  browser,
  composeTestPayments,
  MINUTE,
  moneyProblems,
  portoneSettings,
  type Rig,
  seed,
  startPortoneRig,
} from './rig.js';

interface Scenario {
  name: string;
  prepare(rig: Rig, fake: FakePortone, orderId: string): Promise<unknown>;
  act(rig: Rig, fake: FakePortone, orderId: string): Promise<unknown>;
  ends: { status: string; credit: string; held: number };
}

const WON = 14_664;
const pay = (rig: Rig, orderId: string) => rig.topUpPayments.pay(rig.caller, orderId, agreed);
const confirm = (rig: Rig, fake: FakePortone, orderId: string) =>
  rig.topUpPayments.confirm(rig.caller, orderId, browser(fake.token(orderId)));
const paid = async (rig: Rig, fake: FakePortone, orderId: string) => {
  await pay(rig, orderId);
  await confirm(rig, fake, orderId);
};

const scenarios: Scenario[] = [
  {
    name: 'pay and confirm',
    prepare: async () => undefined,
    async act(rig, fake, orderId) {
      if ((await rig.seeTopUp(orderId)) !== 'paid') await paid(rig, fake, orderId);
    },
    ends: { status: 'paid', credit: '10.000000', held: WON },
  },
  {
    name: 'withdraw a part',
    prepare: paid,
    async act(rig, _, orderId) {
      const { topUp } = await rig.topUpPayments.read(rig.caller, orderId);
      if (topUp.cancelledWon + topUp.withdrawingWon > 0) return;
      await rig.withdrawals.withdraw(rig.caller, orderId, 4_664);
    },
    ends: { status: 'paid', credit: '6.819421', held: 10_000 },
  },
  {
    name: 'withdraw all of it',
    prepare: paid,
    async act(rig, _, orderId) {
      const { topUp } = await rig.topUpPayments.read(rig.caller, orderId);
      if (topUp.cancelledWon + topUp.withdrawingWon > 0) return;
      await rig.withdrawals.withdraw(rig.caller, orderId, null);
    },
    ends: { status: 'cancelled', credit: '0.000000', held: 0 },
  },
];

for (const { name, prepare, act, ends } of scenarios) {
  t.test(`${name}, dying at every commit`, async (t: Test) => {
    const { rig, fake, settings } = await startPortoneRig(t);
    const run = async (dies: Parameters<typeof mortal>[1]) => {
      // Each run has the account's credit to itself.
      await rig.store.run('DELETE FROM credit_ledger');
      await rig.store.run('DELETE FROM top_ups');
      const { orderId } = await rig.topUp();
      await prepare(rig, fake, orderId);
      const life = mortal(rig.store, dies);
      rig.restart(settings, life.store);
      const failure = await act(rig, fake, orderId).then(
        () => null,
        (error: unknown) => error,
      );
      if (failure !== null && !(failure instanceof Died)) throw failure;
      rig.restart(settings);
      return { orderId, commits: life.commits() };
    };
    const check = async (orderId: string, name: string) => {
      const [credit] = (await rig.credit()).split(' ');
      const seen = { status: await rig.seeTopUp(orderId), credit, held: fake.held([orderId]) };
      t.same(seen, ends, name);
      await rig.checkMoney(t);
    };
    const { orderId, commits } = await run(null);
    await check(orderId, 'without dying');
    t.ok(commits >= 2, `${commits} commits`);
    const deaths = Array.from({ length: commits }, (_, at) =>
      (['before', 'after'] as const).map((when) => ({ at: at + 1, when })),
    ).flat();
    for (const death of deaths) {
      const { orderId } = await run(death);
      await rig.pass(2 * MINUTE, MINUTE / 2);
      await rig.checkMoney(t);
      await act(rig, fake, orderId);
      await rig.pass(2 * MINUTE, MINUTE / 2);
      await check(orderId, `${death.when} commit ${death.at} of ${commits}`);
    }
  });
}

t.test('a process that is killed while the provider works on a withdrawal', async (t) => {
  for (const when of ['before', 'after'] as const) {
    const fake = await startFakePortone(t, systemClock);
    const file = join(t.testdir(), `killed-${when}.db`);
    await putMigratedDatabase(file);
    const store = openSqlite(file);
    t.teardown(() => store.close());
    const caller = await seed(store, systemClock.now());
    const settings = { provider: 'portone', portone: portoneSettings(fake) } as const;
    const parts = composeTestPayments(store, systemClock, settings);
    const { orderId } = (await parts.topUps.create(caller, 10)).topUp;
    await parts.topUpPayments.pay(caller, orderId, agreed);
    await parts.topUpPayments.confirm(caller, orderId, browser(fake.token(orderId)));

    await killDuring(t, fake, { step: 'cancel', when, file, caller, orderNo: orderId, paymentToken: null });
    const left = await parts.topUpPayments.read(caller, orderId);
    t.match(left.topUp, { cancelledWon: 0, withdrawingWon: WON }, 'the credit stays reserved');
    await fake.idle();
    await store.run('UPDATE payment_cancellations SET next_attempt_at = 0');
    await parts.work();
    const then = await parts.topUpPayments.read(caller, orderId);
    t.match(then.topUp, { cancelledWon: WON, withdrawingWon: 0 });
    t.equal(fake.get(orderId).cancellations.length, 1, 'paid back once');
    t.same(await moneyProblems(store, fake.held()), []);
  }
});
