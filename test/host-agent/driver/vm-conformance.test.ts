// The drivers of virtual machines pass the suite of all drivers: whole in a soak run, else where a leak would be worst.
import t from 'tap';
import { casesOf } from '../../harness/soak.js';
import { scenarios } from './driver-conformance.js';
import { openLume, openTart } from './driver-hosts.js';

t.test('the tart driver passes the conformance suite', async (t) => {
  for (const [, scenario] of casesOf(scenarios, ['leavesNothing', 'keepsWork', 'refusesNames'])) {
    await scenario(t, openTart);
  }
});

t.test('the lume driver passes the conformance suite', async (t) => {
  for (const [, scenario] of casesOf(scenarios, ['makesAndFinds'])) await scenario(t, openLume);
});
