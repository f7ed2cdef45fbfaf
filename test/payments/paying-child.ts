// A process that confirms one payment, for tests that kill it meanwhile.
import type { Caller } from '../../control-plane/platform/domain/caller.js';
import { openSqlite } from '../../control-plane/platform/store/sqlite.js';
import { systemClock } from '../../shared/clock.js';
import { browser, composeTestPayments, type PortoneFake, portoneSettings } from './rig.js';

export interface PayingChild {
  readonly file: string;
  readonly caller: Caller;
  readonly orderNo: string;
  readonly paymentToken: string;
  readonly fake: PortoneFake;
}

process.once('message', async (work: PayingChild) => {
  const settings = { provider: 'portone', portone: portoneSettings(work.fake) } as const;
  const { payments } = composeTestPayments(openSqlite(work.file), systemClock, settings);
  await payments.confirm(work.caller, work.orderNo, browser(work.paymentToken));
  process.exit(0);
});
