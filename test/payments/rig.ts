// Payments on a database of their own, with one provider. Orders here are only rows: what paying one does to slots
// and Macs is another test's subject.
import { join } from 'node:path';
import { pino } from 'pino';
import type { Test } from 'tap';
import { type NewNotice, notify } from '../../control-plane/access/app/notices.js';
import { webhookKey } from '../../control-plane/access/domain/standard-webhook.js';
import { insertOrganization } from '../../control-plane/access/store/organizations.js';
import { insertUser } from '../../control-plane/access/store/users.js';
import { createCredit } from '../../control-plane/payments/app/credit.js';
import { createExchangeRates } from '../../control-plane/payments/app/exchange-rates.js';
import { createLocalPayments } from '../../control-plane/payments/app/local-payments.js';
import { type OrderChanges, orderPayables } from '../../control-plane/payments/app/order-payables.js';
import { reconcileDue } from '../../control-plane/payments/app/payment-reconciliation.js';
import { paymentState } from '../../control-plane/payments/app/payment-state.js';
import { createPaymentWebhooks } from '../../control-plane/payments/app/payment-webhooks.js';
import { createPayments, type PayInput } from '../../control-plane/payments/app/payments.js';
import { carryOutCancellations } from '../../control-plane/payments/app/refunds.js';
import { topUpPayables } from '../../control-plane/payments/app/top-up-payables.js';
import { createTopUps, expireTopUps, topUpState } from '../../control-plane/payments/app/top-ups.js';
import { createWithdrawals } from '../../control-plane/payments/app/withdrawals.js';
import { defaultConsentTexts } from '../../control-plane/payments/domain/consent.js';
import { creditFor } from '../../control-plane/payments/domain/credit.js';
import type { PaymentProviderName } from '../../control-plane/payments/domain/payment.js';
import { topUpStatus } from '../../control-plane/payments/domain/top-up.js';
import type { PortoneOptions } from '../../control-plane/payments/providers/portone.js';
import { createPaymentProviders } from '../../control-plane/payments/providers/providers.js';
import { createKeyedLock } from '../../control-plane/platform/app/keyed-lock.js';
import type { Caller } from '../../control-plane/platform/domain/caller.js';
import { defaultLimits, type Limits } from '../../control-plane/platform/domain/limits.js';
import { usdText } from '../../control-plane/platform/domain/usd-text.js';
import type { Store } from '../../control-plane/platform/store/sql.js';
import { openSqlite } from '../../control-plane/platform/store/sqlite.js';
import { createWake } from '../../control-plane/platform/wake.js';
import { recordRefundElsewhere } from '../../control-plane/renting/app/order-ends.js';
import { changeOrder, findAnyOrder, insertOrder } from '../../control-plane/renting/store/orders.js';
import { type AdvancingClock, type Clock, createAdvancingClock, systemClock } from '../../shared/clock.js';
import { putMigratedDatabase } from '../harness/migrated-database.js';
import { type FakePortone, startFakePortone } from './fake-portone.js';

export const START = Date.parse('2026-03-01T09:00:00.000Z');
export const MINUTE = 60_000;
export const DAY = 24 * 60 * MINUTE;
const HOUR_OF_LINK = 30 * MINUTE;
/** Won of a dollar. */
export const RATE = '1466.40';

export interface Settings {
  provider: PaymentProviderName;
  portone?: PortoneSettings | null;
  limits?: Partial<Limits>;
}

type PortoneSettings = Omit<PortoneOptions, 'clock' | 'timeoutMs'>;

/** What of the far side a service is told. */
export type PortoneFake = Pick<FakePortone, 'url' | 'apiSecret' | 'storeId' | 'channelKey' | 'webhookSecrets'>;

export function portoneSettings(fake: PortoneFake, given: Partial<PortoneSettings> = {}): PortoneSettings {
  const { url, apiSecret, storeId, channelKey, webhookSecrets } = fake;
  const webhookKeys = webhookSecrets.flatMap((secret) => webhookKey(secret) ?? []);
  return {
    url,
    apiSecret,
    storeId,
    channelKey,
    webhookKeys,
    manualConfirm: true,
    testAllowed: false,
    ...given,
  };
}

/** Everything of payments that a started program has; all its state is in `store`. */
export function composeTestPayments(
  store: Store,
  clock: Clock,
  { provider, portone = null, ...given }: Settings,
  logged: object[] = [],
) {
  const limits: Limits = { ...defaultLimits, payment_timeout_ms: 60_000, ...given.limits };
  const wake = createWake(systemClock);
  const orders: OrderChanges = {
    pay: (tx, order, at) => changeOrder(tx, order, 'pay', { paidAt: at }),
    cancel: async (tx, order, endReason) =>
      (await changeOrder(tx, order, 'cancel', { endedAt: clock.now(), endReason })) !== null,
    refusal: async () => null,
    refunded: (tx, order, totalWon) => {
      const tell = (_: unknown, notice: NewNotice) => notify(tx, { clock, wake, mail: false }, notice);
      return recordRefundElsewhere(
        tx,
        { clock, wake, site: { siteUrl: 'https://cidermill.example' }, notify: tell },
        order,
        totalWon,
      );
    },
  };
  const providers = createPaymentProviders({
    settings: { provider, portone },
    book: createLocalPayments(store),
    clock,
    timeoutMs: limits.payment_timeout_ms,
  });
  const log = pino({ level: 'error' }, { write: (line: string) => void logged.push(JSON.parse(line)) });
  const deps = {
    store,
    clock,
    wake,
    limits,
    providers,
    log,
    mail: false,
    paying: createKeyedLock(),
    cancelling: createKeyedLock(),
    payables: { order: orderPayables(orders), top_up: topUpPayables({ clock }) },
    consentTexts: defaultConsentTexts,
    payUrl: ({ orderNo }: { orderNo: string }) => `https://cidermill.example/pay/${orderNo}`,
  };
  const payments = createPayments(deps, 'order', paymentState);
  const rates = createExchangeRates({ ...deps, fixedRate: RATE, published: null });
  return {
    deps,
    payments,
    topUps: createTopUps({ ...deps, rates }),
    topUpPayments: createPayments(deps, 'top_up', topUpState),
    withdrawals: createWithdrawals(deps),
    webhooks: createPaymentWebhooks(deps, providers.named('portone') ?? providers.current),
    /** One round of the two workers. */
    async work() {
      await reconcileDue(deps);
      await carryOutCancellations(deps);
      await reconcileDue(deps);
      await expireTopUps(deps);
    },
  };
}

export const agreed: PayInput = {
  terms: true,
  withdrawal: true,
  textVersion: null,
  method: 'card',
  outcome: 'paid',
};

export const browser = (paymentToken: string | null = null) => ({
  paymentToken,
  txId: null,
  outcome: 'paid' as const,
});

export type Rig = Awaited<ReturnType<typeof openRig>>;

/** With a provider that the service plays itself. */
export function startRig(t: Test, settings: Settings) {
  return openRig(t, createAdvancingClock({ start: START }), settings, null);
}

/** With PortOne's far side, which shares the rig's time. */
export async function startPortoneRig(
  t: Test,
  { limits, ...given }: Partial<PortoneSettings> & { limits?: Partial<Limits> } = {},
) {
  const clock = createAdvancingClock({ start: START });
  const fake = await startFakePortone(t, clock);
  const settings: Settings = {
    provider: 'portone',
    portone: portoneSettings(fake, given),
    ...(limits ? { limits } : {}),
  };
  return { rig: await openRig(t, clock, settings, fake), fake, settings };
}

async function openRig(t: Test, clock: AdvancingClock, settings: Settings, fake: FakePortone | null) {
  const file = join(t.testdir(), 'payments.db');
  // No disk is waited for: what a timer starts ends before the next one.
  await putMigratedDatabase(file);
  const store = openSqlite(file, { dataSync: async () => undefined });
  t.teardown(() => store.close());
  const caller = await seed(store, clock.now());
  const logged: object[] = [];
  let parts = composeTestPayments(store, clock, settings, logged);
  let orders = 0;

  const rig = {
    file,
    store,
    clock,
    caller,
    /** Lines of level `error`. */
    logged,
    get payments() {
      return parts.payments;
    },
    get topUps() {
      return parts.topUps;
    },
    get topUpPayments() {
      return parts.topUpPayments;
    },
    get withdrawals() {
      return parts.withdrawals;
    },
    get deps() {
      return parts.deps;
    },
    work: () => parts.work(),
    /** A message of the provider arrives. */
    tell: ({ body, headers }: ReturnType<FakePortone['webhook']>) => parts.webhooks.receive(Buffer.from(body), headers),
    /** The program starts again, perhaps with another store or other settings. */
    restart(next: Settings = settings, through: Store = store) {
      parts = composeTestPayments(through, clock, next, logged);
    },
    order: (amountWon = 10_000) => addOrder(store, caller, `RT-RIG${++orders}0000`, amountWon, clock.now()),
    topUp: async (usd = 10) => (await parts.topUps.create(caller, usd)).topUp,
    expire: (orderNo: string) =>
      store.transaction(async (tx) => {
        const order = await findAnyOrder(tx, orderNo);
        if (order) await changeOrder(tx, order, 'expire', { endedAt: clock.now(), endReason: 'expired' });
      }),
    /** Time passes, and the workers do what is due. */
    async pass(ms: number, stepMs = MINUTE) {
      for (let left = ms; left > 0; left -= stepMs) {
        await clock.advance(Math.min(stepMs, left));
        await parts.work();
      }
    },
    async see(orderNo: string) {
      const { order, payment } = await parts.payments.read(caller, orderNo);
      return `${order.status} ${payment?.status ?? 'unpaid'}`;
    },
    async seeTopUp(orderId: string) {
      const { topUp } = await parts.topUpPayments.read(caller, orderId);
      return topUpStatus(topUp, { status: topUp.paymentStatus, cancelledWon: topUp.cancelledWon });
    },
    adjust: (microUsd: number, reason: string) =>
      createCredit({ store, clock }).adjust(caller.account.id, microUsd, reason),
    async credit() {
      const { balance, reserved } = await createCredit({ store, clock }).balance(caller.account.id);
      return `${usdText(balance)} ${usdText(reserved)}`;
    },
    /** Every won: what came less what went is what the ledger says, and what the provider holds. */
    async checkMoney(t: Test) {
      const held = fake ? fake.held() : await heldLocally(store);
      const wrong = await moneyProblems(store, held);
      t.same(wrong, [], 'every won is accounted for');
    },
  };
  return rig;
}

export async function seed(store: Store, now: number): Promise<Caller> {
  return store.transaction(async (tx) => {
    const account = await insertOrganization(tx, {
      orgId: 'org_rig',
      name: 'Rig',
      slug: 'rig',
      createdAt: now,
    });
    const user = { userId: 'user_rig', email: 'rig@example.com', name: null, passwordHash: null };
    await insertUser(tx, { ...user, operator: false, createdAt: now });
    return {
      account,
      workspaceId: 'ws_rig',
      workspaceIds: ['ws_rig'],
      key: null,
      levels: ['read', 'build', 'manage'],
      ip: '192.0.2.7',
      person: { userId: user.userId, email: user.email, role: 'owner' },
    };
  });
}

export function addOrder(store: Store, { account }: Caller, orderNo: string, amountWon: number, now: number) {
  return store.transaction((tx) =>
    insertOrder(tx, {
      orderNo,
      accountId: account.id,
      keyId: null,
      kind: 'extension',
      tier: null,
      hours: 24,
      units: 1,
      amountWon,
      startAt: null,
      setup: { xcode: null },
      items: [],
      payExpiresAt: now + HOUR_OF_LINK,
      createdAt: now,
    }),
  );
}

async function heldLocally(store: Store): Promise<number> {
  const rows = await store.all<{ payment_id: string; provider: string }>(
    "SELECT l.payment_id, p.provider FROM local_payments l JOIN payments p ON p.order_no = l.payment_id WHERE p.provider = 'sandbox'",
  );
  const book = createLocalPayments(store);
  let held = 0;
  for (const { payment_id } of rows) {
    const entry = await book.read(payment_id);
    if (entry?.state !== 'paid') continue;
    held += entry.cancellations.reduce((left, { amount }) => left - amount, entry.totalWon);
  }
  return held;
}

/** What does not add up; for payments that are settled. */
export async function moneyProblems(store: Store, held: number, orders?: readonly string[]): Promise<string[]> {
  const problems: string[] = [];
  const ours = ({ order_no }: { order_no: string }) => !orders || orders.includes(order_no);
  const ledger = await store.all<{ order_no: string; amount_won: number }>('SELECT order_no, amount_won FROM ledger');
  const total = ledger.filter(ours).reduce((sum, { amount_won }) => sum + amount_won, 0);
  if (total !== held) problems.push(`the ledger says ${total}, the provider holds ${held}`);
  const rows = await store.all<{
    order_no: string;
    provider: string;
    status: string;
    amount_won: number;
    cancelled_won: number;
    order_status: string | null;
    by_credit: number;
    came: number | null;
    went: number | null;
  }>(
    `SELECT p.order_no, p.provider, p.status, p.amount_won, p.cancelled_won, o.status AS order_status,
       EXISTS (SELECT 1 FROM credit_payments c WHERE c.order_no = p.order_no) AS by_credit,
       (SELECT SUM(amount_won) FROM ledger l WHERE l.order_no = p.order_no AND l.amount_won > 0) AS came,
       (SELECT SUM(amount_won) FROM ledger l WHERE l.order_no = p.order_no AND l.amount_won < 0) AS went
     FROM payments p LEFT JOIN orders o ON o.order_no = p.order_no`,
  );
  for (const row of rows.filter(ours)) {
    const paidOrder = ['paid', 'provisioning', 'ready'].includes(row.order_status ?? '');
    if (paidOrder && !row.by_credit && row.status !== 'paid' && row.status !== 'cancelled') {
      problems.push(`${row.order_no} is ${row.order_status}, its payment ${row.status}`);
    }
    if (row.provider === 'approval') {
      if (row.came !== null || row.went !== null) problems.push(`${row.order_no}: an approval in the ledger`);
      continue;
    }
    if ((row.went ?? 0) !== -row.cancelled_won && row.status !== 'failed') {
      problems.push(`${row.order_no}: ${row.cancelled_won} cancelled, ${row.went} in the ledger`);
    }
    if (row.status === 'paid' && row.came !== row.amount_won) {
      problems.push(`${row.order_no} is paid with ${row.came} of ${row.amount_won}`);
    }
    if ((row.status === 'pending' || row.status === 'confirming') && row.came !== null) {
      problems.push(`${row.order_no} is ${row.status}, but ${row.came} came`);
    }
    if ((row.status === 'late' || row.status === 'failed') && (row.came ?? 0) + (row.went ?? 0) !== 0) {
      problems.push(`${row.order_no} is ${row.status}, but ${(row.came ?? 0) + (row.went ?? 0)} is kept`);
    }
  }
  problems.push(...(await creditProblems(store)));
  return problems;
}

/** Credit that does not follow the won; for top-ups whose payments are settled. */
async function creditProblems(store: Store): Promise<string[]> {
  const problems: string[] = [];
  const topUps = await store.all<{
    order_id: string;
    state: string;
    credit: number;
    amount_won: number;
    cancelled_won: number;
    entered: number;
    krw: number;
  }>(
    `SELECT u.order_id, u.state, u.credit_micro_usd AS credit, u.amount_won, p.cancelled_won,
       (SELECT COALESCE(SUM(micro_usd), 0) FROM credit_ledger c WHERE c.order_id = u.order_id) AS entered,
       (SELECT COALESCE(SUM(krw), 0) FROM credit_ledger c WHERE c.order_id = u.order_id) AS krw
     FROM top_ups u JOIN payments p ON p.order_no = u.order_id`,
  );
  for (const { order_id, state, credit, amount_won, cancelled_won, entered, krw } of topUps) {
    const bought = { amountWon: amount_won, creditMicroUsd: credit };
    const kept = state === 'credited' ? credit - creditFor(bought, 0, cancelled_won) : 0;
    if (entered !== kept) problems.push(`${order_id} is ${state}: credit of ${entered}, not of ${kept}`);
    const won = state === 'credited' ? amount_won - cancelled_won : 0;
    if (krw !== won) problems.push(`${order_id}: credit for ${krw} won, of which ${won} are there`);
  }
  const paid = await store.all<{ order_no: string; amount: number; credit: number; returned: number; entered: number }>(
    `SELECT order_no, amount_won AS amount, credit_micro_usd AS credit, returned_won AS returned,
       (SELECT COALESCE(SUM(micro_usd), 0) FROM credit_ledger c WHERE c.paid_order_no = p.order_no) AS entered
     FROM credit_payments p`,
  );
  for (const { order_no, amount, credit, returned, entered } of paid) {
    const kept = credit - creditFor({ amountWon: amount, creditMicroUsd: credit }, 0, returned);
    if (entered !== -kept) problems.push(`${order_no} keeps ${kept} of credit, its entries are ${entered}`);
  }
  const balances = new Map<number, number>();
  const entries = await store.all<{ account_id: number; micro_usd: number; balance_micro_usd: number }>(
    'SELECT account_id, micro_usd, balance_micro_usd FROM credit_ledger ORDER BY entry_id',
  );
  for (const { account_id, micro_usd, balance_micro_usd } of entries) {
    const balance = (balances.get(account_id) ?? 0) + micro_usd;
    if (balance !== balance_micro_usd) problems.push(`a balance of ${balance_micro_usd} instead of ${balance}`);
    balances.set(account_id, balance);
  }
  return problems;
}
