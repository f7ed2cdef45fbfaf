// Verifies the database of a data folder in this process, whether or not a service is running.
import { resolve } from 'node:path';
import { type CheckResult, verify } from '../start/app/verification.js';
import { openBase } from './open-base.js';

/** Throws NoDatabaseError. The package of the command line, which has no database, has an error instead (tools/package). */
export async function* verifyHere(data: string): AsyncGenerator<CheckResult, void, undefined> {
  const { store, clock, realClock } = await openBase(resolve(data));
  try {
    yield* verify({ store, clock, realClock });
  } finally {
    await store.close();
  }
}
