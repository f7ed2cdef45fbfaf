// Signals the processes of a build in a guest.
import { createHash } from 'node:crypto';
import { type Clock, systemClock } from '../../shared/clock.js';
import { callGuest } from './call.js';
import { encodeFrame } from './frames.js';
import { guestProgram } from './program.js';
import { fields, numberOf } from './run.js';
import type { GuestTransport } from './transport.js';

export type GuestSignal = 'SIGTERM' | 'SIGKILL' | 0;

export interface GuestBuild {
  /** `NAME=value`, unique to the build, in the environment of everything it starts. */
  mark: string;
  /** Process id of its script; null when it is not known, or may have been reused. */
  script: number | null;
  /** The work folder; null when it is not known. */
  work: string | null;
}

/** Returns the title under which the build's supervisor runs. */
export const supervisorTitle = (mark: string): string =>
  `cidermill-build-${createHash('sha256').update(mark).digest('hex').slice(0, 16)}`;

/** @example signalName('SIGKILL') // 'KILL' */
export const signalName = (signal: GuestSignal): string => (signal === 0 ? '0' : signal.slice('SIG'.length));

/**
 * Sends a signal (0: only counts) to all processes of a build in the guest, its supervisor included, and returns how many
 * there were. A process between fork and exec may be missed, so only two zeros in a row mean that none is left.
 */
export async function signalGuestBuild(
  transport: GuestTransport,
  { mark, script, work }: GuestBuild,
  signal: GuestSignal,
  options: { timeoutMs: number; clock?: Clock; signal?: AbortSignal },
): Promise<number> {
  const build = fields([signalName(signal), mark, supervisorTitle(mark), String(script ?? 0), work ?? '']);
  const program = guestProgram('frames.pl', 'processes.pl', 'signal.pl');
  const { clock = systemClock } = options;
  return numberOf(await callGuest(transport, program, [encodeFrame('build', build)], { ...options, clock }));
}
