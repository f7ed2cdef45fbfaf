// Takes the place of control-plane/admin/verify-here.ts in the package of the command line.
import { openHere } from './open-here.js';

// biome-ignore lint/correctness/useYield: it only throws
export async function* verifyHere(): AsyncGenerator<never, void, undefined> {
  await openHere();
}
