// The drivers of virtual machines pass the suite of all drivers; in `npm test` that of lume, whose guests are reached by ssh,
// only where that makes a difference.
import t from 'tap';
import { casesOf } from '../../harness/soak.js';
import { scenarios } from './driver-conformance.js';
import { openLume, openTart } from './driver-hosts.js';

t.test('the tart driver passes the conformance suite', async (t) => {
  for (const scenario of Object.values(scenarios)) await scenario(t, openTart);
});

t.test('the lume driver passes the conformance suite', async (t) => {
  for (const [, scenario] of casesOf(scenarios, ['refusesNames', 'findsProcesses']))
    await scenario(t, openLume);
});
