// The drivers of virtual machines pass the suite of all drivers: all of it in a soak run, else the scenarios about isolation.
import t from 'tap';
import { casesOf } from '../../harness/soak.js';
import { scenarios } from './driver-conformance.js';
import { openLume, openTart } from './driver-hosts.js';

for (const [name, scenario] of casesOf(scenarios, ['leavesNothing', 'refusesNames'])) {
  t.test(`tart: ${name}`, (t) => scenario(t, openTart));
}

for (const [name, scenario] of casesOf(scenarios, ['refusesNames'])) {
  t.test(`lume: ${name}`, (t) => scenario(t, openLume));
}
