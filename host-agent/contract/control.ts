// What daemon and build process say to each other: JSON lines, over the pipe that the process was started with, and
// over the Unix socket in the attempt's folder by which a later daemon finds it.
import type { Socket } from 'node:net';
import { z } from 'zod';
import { buildSecret, buildSpec, buildStep, stopReason } from '../../shared/protocol/index.js';
import { driverSpec } from '../driver/driver.js';
import { networkSettings } from '../system/network.js';

/** Everything a build process needs. Only ever in this message and in that process's memory. */
export const startOrder = z.object({
  type: z.literal('start'),
  data_dir: z.string(),
  spec: buildSpec,
  secrets: z.array(buildSecret),
  /** Where sources come from: the service's address, with this host's credential. */
  link: z.object({ site_url: z.string(), credential: z.string() }),
  /** How this host reaches the service and code hosts. */
  network: networkSettings,
  driver: driverSpec,
  /** Names this run of the machine, to tell after a restart that processes cannot be the same. */
  boot: z.string(),
  /** Those of BuildLimits (or others) that are not at their default. */
  limits: z.record(z.string(), z.number()),
});
export type StartOrder = z.infer<typeof startOrder>;

export const daemonMessage = z.discriminatedUnion('type', [
  startOrder,
  z.object({ type: z.literal('stop'), reason: stopReason }),
  /** Is answered with a pong, whatever the build does. */
  z.object({ type: z.literal('ping') }),
]);
export type DaemonMessage = z.infer<typeof daemonMessage>;

export const buildMessage = z.discriminatedUnion('type', [
  /** Sent on every connection, and whenever one of these changes. */
  z.object({
    type: z.literal('state'),
    build_id: z.string(),
    attempt: z.int(),
    step: buildStep,
    log_bytes: z.int(),
    last_output_at: z.int().nullable(),
    /** Missing in builds that an older version started. */
    commit_sha: z.string().nullable().optional(),
  }),
  /** The takeover is on disk: whatever happens to the daemon or the machine, the attempt will have a result. */
  z.object({ type: z.literal('owned') }),
  z.object({ type: z.literal('pong') }),
  /** The result is on disk. */
  z.object({ type: z.literal('finished') }),
  /** The attempt was not taken over: its folder is there already (EEXIST), or cannot be made (ENOSPC, …). */
  z.object({ type: z.literal('refused'), code: z.string(), message: z.string() }),
]);
export type BuildMessage = z.infer<typeof buildMessage>;

// A script of 256 KiB and 100 secrets of 64 KiB, each byte escaped.
const LONGEST_LINE = 64 * 1024 * 1024;

export interface Channel<Out> {
  send(message: Out): void;
  /** Whether the other end has not yet read what was sent. */
  full(): boolean;
  /** Sends what is waiting, then closes. */
  end(): void;
  destroy(): void;
}

/**
 * Speaks JSON lines over a connected socket. A line that does not validate closes it.
 *
 * @param on.closed called once, whatever the reason
 */
export function openChannel<In, Out>(
  socket: Socket,
  schema: z.ZodType<In>,
  on: { message: (message: In) => void; closed?: () => void; drained?: () => void },
): Channel<Out> {
  let parts: Buffer[] = [];
  let length = 0;
  const take = (line: string) => {
    const message = schema.safeParse(parseOrNull(line));
    if (message.success) on.message(message.data);
    else socket.destroy();
  };
  socket.on('data', (chunk: Buffer) => {
    let rest = chunk;
    for (let at = rest.indexOf(0x0a); at >= 0 && !socket.destroyed; at = rest.indexOf(0x0a)) {
      const line = Buffer.concat([...parts, rest.subarray(0, at)]).toString('utf8');
      rest = rest.subarray(at + 1);
      parts = [];
      length = 0;
      take(line);
    }
    if (rest.length > 0) parts.push(rest);
    length += rest.length;
    if (length > LONGEST_LINE) socket.destroy();
  });
  // A broken connection is followed by close, which is what counts.
  socket.on('error', () => socket.destroy());
  socket.on('close', () => on.closed?.());
  socket.on('drain', () => on.drained?.());
  socket.on('end', () => socket.end());
  return {
    send(message) {
      if (socket.writable) socket.write(`${JSON.stringify(message)}\n`);
    },
    full: () => socket.writableNeedDrain,
    end: () => socket.end(),
    destroy: () => socket.destroy(),
  };
}

function parseOrNull(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // Not JSON is not a message either; the schema says no to null.
    return null;
  }
}
