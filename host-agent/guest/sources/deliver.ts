// Brings checked out sources of this host into a work folder of a guest: only what has changed on either side crosses.
import { randomBytes } from 'node:crypto';
import { renameSync, rmSync } from 'node:fs';
import { errnoOf } from '../../../shared/errno.js';
import { type GuestCall, openCall } from '../call.js';
import { guestProgram } from '../program.js';
import { fields } from '../run.js';
import { GuestError, type GuestTransport } from '../transport.js';
import { changeFrames } from './send.js';
import {
  compareStagings,
  type Delivered,
  readDelivered,
  type Staging,
  scanStaging,
  writeDelivered,
} from './staging.js';

export interface Delivery {
  /** A folder of this host that nobody changes meanwhile. */
  from: string;
  /** The work folder in the guest, and the service's state about it. */
  to: string;
  state: string;
  /** On this host: what was last delivered. */
  stateFile: string;
  /** Empty the work folder first. */
  clean: boolean;
}

export interface DeliveryResult {
  /** Files, links and folders that were written. */
  sent: number;
  removed: number;
  /** Bytes sent. */
  bytes: number;
  /** Of those that were written, how many had been changed or deleted in the guest. */
  repaired: number;
  /** The work folder was emptied first, because it was not known what it held. */
  startedOver: boolean;
}

export interface DeliveryOptions {
  signal: AbortSignal;
  /** Fails when there is no progress for this long. */
  timeoutMs: number;
  /** Writes a line to the build's log. */
  say(line: string): void;
}

/** Errors caused by something that a build left in the way. */
const BLOCKED = ['EPERM', 'EACCES', 'ENOTDIR', 'EISDIR', 'ELOOP', 'ENOTEMPTY', 'EEXIST'];

/**
 * Makes the work folder equal to the sources; unchanged files keep their modification times, and what only builds have
 * made stays (in `.git` only objects). Can be interrupted at any point; the next delivery repairs the rest.
 *
 * @throws GuestError (`ENOSPC` on a full disk); GuestUnreachableError
 */
export async function deliver(
  transport: GuestTransport,
  delivery: Delivery,
  options: DeliveryOptions,
): Promise<DeliveryResult> {
  try {
    return await deliverOnce(transport, delivery, options);
  } catch (error) {
    if (delivery.clean || !(error instanceof GuestError) || !BLOCKED.includes(errnoOf(error) ?? '')) throw error;
    options.say('Something in the work folder cannot be changed; starting from an empty one.');
    return deliverOnce(transport, { ...delivery, clean: true }, options);
  }
}

async function deliverOnce(
  transport: GuestTransport,
  delivery: Delivery,
  { signal, timeoutMs }: DeliveryOptions,
): Promise<DeliveryResult> {
  const { from, to, state, stateFile, clean } = delivery;
  const next = `${stateFile}.next`;
  // A delivery that was interrupted at its end may have been completed by the guest or not.
  const known = [stateFile, next].flatMap((file) => readDelivered(file) ?? []);
  const program = guestProgram('frames.pl', 'paths.pl', 'work-folder.pl', 'deliver.pl');
  const call = openCall(transport, program, { signal, timeoutMs, restarting: true });
  try {
    await call.send('deliver', fields([to, state, clean ? '1' : '0', ...known.map(({ id }) => id)]));
    const checking = readState(call, known);
    // The error is thrown where the answer is awaited, below.
    checking.catch(() => undefined);
    const now = await scanStaging(from, signal);
    const { before, changed } = await checking;
    const changes = compareStagings(before?.staging ?? nothing, now, changed);
    const bytes = await sendChanges(call, from, now, changes, signal);
    const result = {
      sent: changes.send.length,
      removed: changes.remove.length,
      bytes,
      startedOver: before === null,
    };
    if (result.sent + result.removed > 0 || before === null) {
      const id = randomBytes(16).toString('hex');
      writeDelivered(next, { id, staging: now });
      await complete(call, () => call.send('commit', id));
      renameSync(next, stateFile);
    } else {
      await complete(call, () => call.send('finish'));
      if (before !== known[0]) renameSync(next, stateFile);
      else rmSync(next, { force: true });
    }
    return { ...result, repaired: changed.size };
  } finally {
    call.close();
  }
}

const nothing: Staging = { paths: [], stamps: new Float64Array(0) };

/** Returns what the guest has, or null when its folder is empty; and the rows of it that were changed there. */
async function readState(
  call: GuestCall,
  known: readonly Delivered[],
): Promise<{ before: Delivered | null; changed: Set<number> }> {
  const changed = new Set<number>();
  let before: Delivered | null = null;
  for (;;) {
    const { type, payload } = await call.receive();
    if (type === 'checked') return { before, changed };
    if (type === 'state') {
      const id = payload.toString('latin1');
      before = known.find((one) => one.id === id) ?? null;
      if (before === null && id !== '') throw new GuestError('bad_answer', 'the guest has an unknown index');
    } else if (type === 'changed' && before !== null && payload.length % 4 === 0) {
      for (let at = 0; at < payload.length; at += 4) changed.add(payload.readUInt32BE(at));
      if (changed.size > before.staging.paths.length) {
        throw new GuestError('bad_answer', 'the guest reports more changes than there are files');
      }
    } else throw new GuestError('bad_answer', `the guest sent an unexpected frame: ${type}`);
  }
}

/** Sends the changes; stops when the guest reports an error meanwhile. Returns the number of bytes. */
async function sendChanges(
  call: GuestCall,
  from: string,
  now: Staging,
  changes: Parameters<typeof changeFrames>[2],
  signal: AbortSignal,
): Promise<number> {
  let bytes = 0;
  for (const frame of changeFrames(from, now, changes)) {
    signal.throwIfAborted();
    if (call.ended()) break;
    await call.write(frame);
    bytes += frame.length;
  }
  // What builds add to git's own folder would act on the next build's git.
  if (now.paths.includes('.git')) await call.send('exact', fields(['.git']));
  return bytes;
}

async function complete(call: GuestCall, send: () => Promise<void>): Promise<void> {
  await send();
  const { type } = await call.receive();
  if (type !== 'done') throw new GuestError('bad_answer', `the guest sent an unexpected frame: ${type}`);
}
