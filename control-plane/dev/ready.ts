// Waits until the local host has reported its inventory and the demo account's Macs can build.
import { z } from 'zod';
import type { Clock } from '../../shared/clock.js';
import { pause } from '../../shared/pause.js';
import type { Inventory } from '../../shared/protocol/index.js';
import type { Hosts } from '../hosts/app/hosts.js';

const PATIENCE_MS = 60_000;
const EVERY_MS = 50;
/** Polls less often after a while, because the requests count towards the rate limit of the key. */
const SELDOM_MS = 1_000;
const OFTEN_FOR_MS = 10_000;

const statusShape = z.object({ macs: z.array(z.object({ rental_id: z.string(), state: z.string() })) });

/**
 * Waits for the account's Macs.
 *
 * @param patienceMs after this time it throws an error that names the Macs that are not ready
 * @param onWait called repeatedly while it waits
 */
export async function macsAreReady(
  siteUrl: string,
  key: string,
  clock: Clock,
  { patienceMs = PATIENCE_MS, onWait = async () => {} }: { patienceMs?: number; onWait?: () => Promise<void> } = {},
): Promise<true> {
  const deadline = clock.monotonic() + patienceMs;
  const often = clock.monotonic() + OFTEN_FOR_MS;
  for (;;) {
    const answer = await fetch(`${siteUrl}/api/v1/status`, { headers: { authorization: `Bearer ${key}` } });
    if (!answer.ok) throw new Error(`the service answers ${answer.status} to its own status request`);
    const { macs } = statusShape.parse(await answer.json());
    const waiting = macs.filter((mac) => mac.state === 'preparing');
    if (waiting.length === 0) return true;
    if (clock.monotonic() > deadline)
      throw new Error(`not ready after ${patienceMs / 1000} s: ${waiting.map((m) => m.rental_id).join(', ')}`);
    await onWait();
    await pause(clock, clock.monotonic() < often ? EVERY_MS : SELDOM_MS);
  }
}

/** Resolves with the inventory that the host reported on its current connection. Throws after PATIENCE_MS without one. */
export async function hostIsConnected(hosts: Pick<Hosts, 'get'>, hostId: string, clock: Clock): Promise<Inventory> {
  const deadline = clock.monotonic() + PATIENCE_MS;
  for (;;) {
    const { connected, inventory } = await hosts.get(hostId);
    if (connected && inventory) return inventory;
    if (clock.monotonic() > deadline)
      throw new Error(`the local host has not connected within ${PATIENCE_MS / 1000} s`);
    await pause(clock, EVERY_MS);
  }
}
