// One service, shared by all test files of a process that do not change it.
import { type Service, startService } from '../../../bench/service.js';
import { atProcessEnd } from '../../setup/process-end.js';

let started: Promise<Service> | undefined;

/** Returns the service, started on the first call: a rented Mac, six free ones (unpaid orders hold half), a test clock. */
export function sharedService(): Promise<Service> {
  if (!started) {
    const starting = startService({}, ['--macs', '1', '--free', '6', '--test-clock']);
    atProcessEnd(async () => (await starting).stop());
    started = starting;
  }
  return started;
}
