// One service, shared by all test files of a process that do not change it.
import { type Service, startService } from '../../../bench/service.js';
import { atProcessEnd } from '../../setup/process-end.js';

let started: Promise<Service> | undefined;

/** Room for the orders that the files leave unpaid. */
const limits = { CIDERMILL_PENDING_ORDERS: '9' };

/** Returns the service, started on the first call: a rented Mac, ten free ones (unpaid orders hold half), a test clock. */
export function sharedService(): Promise<Service> {
  if (!started) {
    const starting = startService(limits, ['--macs', '1', '--free', '10', '--test-clock']);
    atProcessEnd(async () => (await starting).stop());
    started = starting;
  }
  return started;
}
