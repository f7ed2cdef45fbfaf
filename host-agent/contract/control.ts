// The protocol between daemon and build process: JSON lines over the pipe that the process was started with, and over
// the Unix socket in the attempt's folder, through which a later daemon reconnects.
import type { Socket } from 'node:net';
import { z } from 'zod';
import { commitAbout } from '../../shared/build.js';
import { buildSecret, buildSpec, buildStep, serviceBytes, stepTimes, stopReason } from '../../shared/protocol/index.js';
import { driverSpec } from '../driver/driver.js';
import { networkSettings } from '../system/network.js';

/**
 * Everything a build process needs. It exists only in this message and in that process's memory, because of the
 * secrets.
 */
export const startOrder = z.object({
  type: z.literal('start'),
  data_dir: z.string(),
  /** The folder in which the attempt's folder is created. */
  builds_dir: z.string(),
  spec: buildSpec,
  secrets: z.array(buildSecret),
  /** The service that sources are fetched from, and this host's credential. */
  link: z.object({ site_url: z.string(), credential: z.string() }),
  /** How this host reaches the service and code hosts. */
  network: networkSettings,
  driver: driverSpec,
  /** Boot id of the machine: after a restart, no process can be the same. */
  boot: z.string(),
  /** The limits that differ from the defaults. */
  limits: z.record(z.string(), z.number()),
});
export type StartOrder = z.infer<typeof startOrder>;

export const daemonMessage = z.discriminatedUnion('type', [
  startOrder,
  z.object({ type: z.literal('stop'), reason: stopReason }),
  /** Always answered with a pong. */
  z.object({ type: z.literal('ping') }),
]);
export type DaemonMessage = z.infer<typeof daemonMessage>;

export const buildMessage = z.discriminatedUnion('type', [
  /** Sent on every new connection, and whenever one of these fields changes. */
  z.object({
    type: z.literal('state'),
    build_id: z.string(),
    attempt: z.int(),
    step: buildStep,
    log_bytes: z.int(),
    last_output_at: z.int().nullable(),
    /** How long ago that was, ms. Missing in messages of older versions. */
    silent_ms: z.int().min(0).nullable().optional(),
    /** The lines of the service in the log so far, in order. Missing in messages of older versions. */
    service: z.array(serviceBytes).optional(),
    /** Missing in messages of older versions. */
    commit_sha: z.string().nullable().optional(),
    /** Missing in messages of older versions. */
    commit_about: commitAbout.nullable().optional(),
    steps: stepTimes().optional(),
    /** Verifies the result; see `signed-result.ts`. Missing in messages of older versions. */
    result_key: z.string().optional(),
  }),
  /** The takeover is on disk: even if daemon or machine crash, the attempt will have a result. */
  z.object({ type: z.literal('owned') }),
  z.object({ type: z.literal('pong') }),
  /** The result is on disk. */
  z.object({ type: z.literal('finished') }),
  /** The attempt was not taken over: its folder exists already (EEXIST), or cannot be created (ENOSPC, …). */
  z.object({ type: z.literal('refused'), code: z.string(), message: z.string() }),
]);
export type BuildMessage = z.infer<typeof buildMessage>;

// A script of 256 KiB and 100 secrets of 64 KiB, each byte escaped.
const LONGEST_LINE = 64 * 1024 * 1024;

export interface Channel<Out> {
  send(message: Out): void;
  /** Returns whether sent data still waits for the other end to read it. */
  full(): boolean;
  /** Sends buffered data, then closes. */
  end(): void;
  destroy(): void;
}

/**
 * Exchanges JSON lines over a connected socket. An invalid line closes it.
 *
 * @param on.closed called once, for any reason
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
  // An error is always followed by `close`.
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
    // Not JSON. The schema rejects null.
    return null;
  }
}
