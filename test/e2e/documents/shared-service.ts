// One service for all files of a process that only use it.
import { type Service, startService } from '../../../bench/service.js';
import { atProcessEnd } from '../../setup/process-end.js';

let started: Promise<Service> | undefined;

/** Resolves with the service, started for the first that asks: one Mac that is rented, three that are free, a test clock. */
export function sharedService(): Promise<Service> {
  if (!started) {
    const starting = startService({}, ['--macs', '1', '--free', '3', '--test-clock']);
    atProcessEnd(async () => (await starting).stop());
    started = starting;
  }
  return started;
}
