// Days at random with orders, of which some are refunded.
import t from 'tap';
import { requestRefund } from '../../control-plane/payments/app/refunds.js';
import { findPayment } from '../../control-plane/payments/store/payments.js';
import { findAnyOrder } from '../../control-plane/renting/store/orders.js';
import { cases } from '../harness/soak.js';
import { type Kind, liveRandomDays } from './days.js';
import { moneyProblems, startPortoneRig } from './rig.js';
import { readCancellations } from './rows.js';

const WON = 10_000;

const orders: Kind = {
  won: WON,
  payments: (rig) => rig.payments,
  async open(rig) {
    const made: string[] = [];
    for (let i = 0; i < 3; i++) made.push((await rig.order(WON)).orderNo);
    return made;
  },
  steps: {
    async refund({ rig }, orderNo) {
      const order = await findAnyOrder(rig.store, orderNo);
      if (order?.status !== 'paid' || (await readCancellations(rig.store, orderNo)).length > 0) return;
      const refund = { orderNo, accountId: order.accountId, amountWon: WON, reason: 'no_capacity' };
      await rig.deps.store.transaction((tx) => requestRefund(tx, rig.deps, refund));
    },
  },
  often: [],
  /** As the worker of orders does. */
  async expire({ rig, ids }) {
    for (const orderNo of ids) {
      const order = await findAnyOrder(rig.store, orderNo);
      const payment = await findPayment(rig.store, orderNo);
      if (order?.status !== 'awaiting_payment' || order.payExpiresAt > rig.clock.now()) continue;
      if (payment?.status !== 'confirming') await rig.expire(orderNo);
    }
  },
  async verdict({ rig }, orderNo) {
    const order = await findAnyOrder(rig.store, orderNo);
    return { isPaid: order?.status === 'paid', problems: [] };
  },
};

for (const manualConfirm of [true, false]) {
  t.test(`PortOne ${manualConfirm ? 'with' : 'without'} manual confirm`, async (t) => {
    const { rig, fake, settings } = await startPortoneRig(t, { manualConfirm });
    await liveRandomDays({ rig, fake, settings }, orders, cases(4));
    t.same(await moneyProblems(rig.store, fake.held()), []);
  });
}
