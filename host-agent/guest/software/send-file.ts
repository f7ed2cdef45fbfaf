// Sends one large file into a guest.
import { open } from 'node:fs/promises';
import { type CallOptions, callGuest } from '../call.js';
import { encodeFrame, FRAME_BYTES } from '../frames.js';
import { guestProgram } from '../program.js';
import { GuestError, type GuestTransport } from '../transport.js';

/**
 * Sends a file into a temporary folder of the guest and returns its path there. The caller deletes it.
 *
 * @throws GuestError `ENOSPC` when the guest's disk is full; see also callGuest
 */
export async function sendFile(
  transport: GuestTransport,
  file: string,
  options: CallOptions & { percent: (percent: number) => void },
): Promise<string> {
  const { percent, ...call } = options;
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    async function* frames() {
      yield encodeFrame('size', String(size));
      let sent = 0;
      for await (const bytes of handle.createReadStream({ highWaterMark: FRAME_BYTES, autoClose: false })) {
        yield encodeFrame('part', bytes);
        sent += bytes.length;
        percent((sent * 100) / size);
      }
      yield encodeFrame('end');
    }
    const done = await callGuest(transport, guestProgram('frames.pl', 'receive-file.pl'), frames(), call);
    const path = done.toString('utf8');
    if (!/^\/private\/tmp\/cidermill-file-[A-Za-z0-9_]+\/file\.dmg$/.test(path)) {
      throw new GuestError('bad_answer', 'the guest reported no valid path');
    }
    return path;
  } finally {
    await handle.close();
  }
}
