import type { Harness } from './harness.js';
import { until } from './until.js';

/** Resolves when so many long polls wait: what happens next is a change to them, not what they find. */
export const parked = (h: Pick<Harness, 'inject'>, polls = 1): Promise<void> =>
  until(async () => {
    const { body } = await h.inject({ url: '/metrics' });
    return body.includes(`\ncidermill_open_requests{kind="parked"} ${polls}\n`);
  }, `${polls} long polls wait`);
