// The bench of fleets with small numbers: everything that is submitted arrives once, and nobody who waits is disturbed.
// Requires: openssl
import t from 'tap';
import type { FleetOptions } from '../../bench/fleet/options.js';
import { figuresOf } from '../../bench/fleet/results.js';
import { runFleet } from '../../bench/fleet/run.js';

const small: FleetOptions = {
  hosts: 100,
  rate: 10,
  seconds: 4,
  warmSeconds: 1,
  restSeconds: 1,
  polls: 100,
  followers: 10,
  webhooks: 20,
  accounts: 20,
  reads: 5,
  buildMs: 200,
  postgres: 0,
  quiet: false,
  profile: null,
};

t.test('on the embedded database', async (t) => {
  const result = await runFleet(small);
  t.same([result.failed, result.problems], [0, []]);
  t.equal(result.builds, 40);
  t.equal(result.dispatched, result.builds, 'each build was received by a host');
  t.equal(result.twice, 0, 'and by one, once');
  // An account has one webhook, which gets two events of each build.
  t.equal(result.posts, 2 * result.builds);
  t.ok(result.lines.count > 0, 'followers have got lines');
  t.equal(result.polls, 0, 'no poll was answered: what it waits for has not ended');
  t.equal(result.dispatch.count, result.builds);
  t.ok(figuresOf(result).every(({ value }) => Number.isFinite(value)));
});
