// Days at random with top-ups, which are withdrawn, and whose credit the operator takes.
import t from 'tap';
import { cases } from '../harness/soak.js';
import { type Kind, liveRandomDays, pick } from './days.js';
import { agreed, moneyProblems, startPortoneRig } from './rig.js';

const WON = 14_664;
const parts = [null, 1, 4_664, 10_000, WON];

const topUps: Kind = {
  won: WON,
  payments: (rig) => rig.topUpPayments,
  async open(rig) {
    const made = [(await rig.topUp()).orderId, (await rig.topUp()).orderId];
    // A pay window is open.
    for (const orderId of made) await rig.topUpPayments.pay(rig.caller, orderId, agreed);
    return made;
  },
  steps: {
    withdraw: ({ rig }, orderId, n) => rig.withdrawals.withdraw(rig.caller, orderId, pick(parts, n)),
    adjust: ({ rig }, _, n) => rig.adjust(n % 2 ? -(n * 9_973) - 1 : n * 977 + 1, 'at random'),
  },
  often: ['withdraw'],
  mayFail: 'withdrawn',
  async verdict({ rig }, orderId) {
    const { topUp } = await rig.topUpPayments.read(rig.caller, orderId);
    const problems = [
      ...(topUp.withdrawingWon > 0 ? ['still being withdrawn'] : []),
      ...(topUp.state === 'open' ? ['still open'] : []),
    ];
    return { isPaid: topUp.state === 'credited', problems };
  },
};

t.test('won and dollars', async (t) => {
  const { rig, fake, settings } = await startPortoneRig(t);
  await liveRandomDays({ rig, fake, settings }, topUps, cases(3));
  t.same(await moneyProblems(rig.store, fake.held()), []);
  const [, reserved] = (await rig.credit()).split(' ');
  t.equal(reserved, '0.000000', 'nothing stays reserved');
});
