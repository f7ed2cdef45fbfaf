// Brings the checked out sources of a build into its guest.
import { GUEST_ROOT } from '../driver/guest-access.js';
import { readGuestDisk } from '../guest/folders.js';
import { type Delivery, type DeliveryOptions, type DeliveryResult, deliver } from '../guest/sources/deliver.js';
import { GuestError, type GuestTransport } from '../guest/transport.js';
import { isFull } from './guest-failure.js';
import { makeRoomInGuest } from './guest-preparation.js';

/**
 * Delivers them. When the disk of the guest is full, deletes the work folders of other sources and tries again.
 *
 * @param source name of the work folder
 */
export async function bringSources(
  transport: GuestTransport,
  source: string,
  delivery: Delivery,
  options: DeliveryOptions,
): Promise<void> {
  const { say } = options;
  const bring = async () => {
    const said = saidOf(await deliver(transport, delivery, options));
    if (said !== null) say(said);
  };
  try {
    await bring();
  } catch (error) {
    if (!(error instanceof GuestError) || !isFull(error)) throw error;
    const disk = await readGuestDisk(transport, GUEST_ROOT, options);
    const room = { keep: source, reserveBytes: Number.POSITIVE_INFINITY, call: options };
    if ((await makeRoomInGuest(transport, disk, room)) === 0) throw error;
    say('The disk of the Mac is full; deleted the work folders of other sources and trying again.');
    await bring();
  }
}

/** Returns a line for the log; null if nothing crossed. */
function saidOf({ sent, removed, bytes, repaired }: DeliveryResult): string | null {
  if (sent + removed === 0) return null;
  const changed = repaired === 0 ? '' : ` (${repaired} had been changed there)`;
  return `brought into the Mac: ${sent} written${changed}, ${removed} removed, ${bytes} bytes sent`;
}
