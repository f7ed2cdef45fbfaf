// What `cidermill admin verify` says of the database of a test.
import { verify } from '../../control-plane/start/app/verification.js';
import type { Clock } from '../../shared/clock.js';
import { systemClock } from '../../shared/clock.js';
import { openBeside } from './open-beside.js';

/** Returns `check: subject: what was found` for each contradiction, as another process finds it. */
export async function contradictionsIn({ data, clock }: { data: string; clock: Clock }): Promise<string[]> {
  const store = await openBeside(data);
  try {
    const found: string[] = [];
    for await (const { name, contradictions } of verify({ store, clock, realClock: systemClock })) {
      for (const { subject, found: what } of contradictions) found.push(`${name}: ${subject}: ${what}`);
    }
    return found;
  } finally {
    await store.close();
  }
}
