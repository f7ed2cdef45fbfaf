// A process that confirms one payment, or withdraws one top-up, for tests that kill it meanwhile.
import type { Caller } from '../../control-plane/platform/domain/caller.js';
import { openSqlite } from '../../control-plane/platform/store/sqlite.js';
import { systemClock } from '../../shared/clock.js';
import { browser, composeTestPayments, type PortoneFake, portoneSettings } from './rig.js';

export interface PayingChild {
  readonly file: string;
  readonly caller: Caller;
  readonly orderNo: string;
  /** Null: withdraws. */
  readonly paymentToken: string | null;
  readonly fake: PortoneFake;
}

process.once('message', async (work: PayingChild) => {
  const settings = { provider: 'portone', portone: portoneSettings(work.fake) } as const;
  const { payments, withdrawals } = composeTestPayments(openSqlite(work.file), systemClock, settings);
  const { caller, orderNo, paymentToken } = work;
  if (paymentToken === null) await withdrawals.withdraw(caller, orderNo, null);
  else await payments.confirm(caller, orderNo, browser(paymentToken));
  process.exit(0);
});
