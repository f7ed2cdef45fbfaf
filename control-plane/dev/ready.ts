// Waits until the demo account's Macs can build.
import { z } from 'zod';
import type { Clock } from '../../shared/clock.js';

const PATIENCE_MS = 60_000;
const EVERY_MS = 50;

const statusShape = z.object({ macs: z.array(z.object({ rental_id: z.string(), state: z.string() })) });

/** Throws when they are not ready within a minute; the message names those that are not. */
export async function macsAreReady(siteUrl: string, key: string, clock: Clock): Promise<true> {
  const deadline = clock.now() + PATIENCE_MS;
  for (;;) {
    const answer = await fetch(`${siteUrl}/api/v1/status`, { headers: { authorization: `Bearer ${key}` } });
    if (!answer.ok) throw new Error(`the service answers ${answer.status} to its own status request`);
    const { macs } = statusShape.parse(await answer.json());
    const waiting = macs.filter((mac) => mac.state === 'preparing');
    if (waiting.length === 0) return true;
    if (clock.now() > deadline)
      throw new Error(`not ready after a minute: ${waiting.map((m) => m.rental_id).join(', ')}`);
    await new Promise<void>((resolve) => clock.setTimeout(resolve, EVERY_MS));
  }
}
