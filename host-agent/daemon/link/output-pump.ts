// Sends the logs of all builds over the one link: from the disk, in turn, within a window each.
import type { Clock, Timer } from '../../../shared/clock.js';
import type { Log } from '../../../shared/log.js';
import { beginOutput, OUTPUT_HEADER_ROOM } from '../../../shared/protocol/index.js';
import type { AttemptRef } from '../../contract/attempt-folder.js';
import type { LinkLimits } from '../../limits.js';
import type { BuildSupervisor } from '../supervisor.js';
import { createFramePool } from './frame-pool.js';
import { refKey } from './ref-key.js';

export interface OutputPump {
  /** The link is up. Of the builds that hello named nothing is sent before the control plane says from where. */
  connected(named: readonly AttemptRef[]): void;
  disconnected(): void;
  grew(ref: AttemptRef, logBytes: number): void;
  acknowledged(ref: AttemptRef, nextOffset: number, resend: boolean): void;
  /** The end of the log that is stored at the other end; null while that is not known. */
  stored(ref: AttemptRef): number | null;
  forget(ref: AttemptRef): void;
  /** There may be room in the socket again. */
  step(): void;
}

interface Lane {
  readonly ref: AttemptRef;
  end: number;
  sent: number;
  acknowledged: number;
  /** The other end has said where to go on, or knows nothing of this build yet. */
  known: boolean;
  /** Raised by whatever makes a read under way useless. */
  turn: number;
  /** Little output waits for more of it until this timer fires; `ready` when it has. */
  gathering: Timer | null;
  ready: boolean;
  broken: Timer | null;
}

export function createOutputPump(deps: {
  builds: Pick<BuildSupervisor, 'readLog'>;
  /** False when the link is down. Calls `done` when the frame's memory is free again. */
  send: (frame: Buffer, done: () => void) => boolean;
  /** A log is not there any more, or shorter than it was said to be. */
  missing?: (ref: AttemptRef) => void;
  /** Bytes that wait in the socket. */
  waiting: () => number;
  clock: Clock;
  limits: () => LinkLimits;
  log: Log;
}): OutputPump {
  const { builds, send, waiting, clock, limits, log } = deps;
  const lanes = new Map<string, Lane>();
  const pool = createFramePool();
  let up = false;
  let running = false;

  const lane = (ref: AttemptRef): Lane => {
    const key = refKey(ref);
    let found = lanes.get(key);
    if (!found) {
      found = {
        ref: { build_id: ref.build_id, attempt: ref.attempt },
        end: 0,
        sent: 0,
        acknowledged: 0,
        known: true,
        turn: 0,
        gathering: null,
        ready: false,
        broken: null,
      };
      lanes.set(key, found);
    }
    return found;
  };

  const goTo = (l: Lane, offset: number) => {
    l.sent = offset;
    l.acknowledged = offset;
    l.known = true;
    l.turn++;
  };

  /** A first line is sent at once; what follows it closely is gathered while the first is on its way. */
  const worthSending = (l: Lane): boolean => {
    const { outputFrameBytes, outputGatherMs } = limits();
    if (l.ready || l.sent === l.acknowledged || l.end - l.sent >= outputFrameBytes / 2) return true;
    l.gathering ??= clock.setTimeout(() => {
      l.gathering = null;
      l.ready = true;
      void step();
    }, outputGatherMs);
    return false;
  };

  const next = (): Lane | null => {
    for (const [key, l] of lanes) {
      if (!l.known || l.broken || l.sent >= l.end) continue;
      if (l.sent - l.acknowledged >= limits().outputWindowBytes || !worthSending(l)) continue;
      // To the end of the line, so that each has its turn.
      lanes.delete(key);
      lanes.set(key, l);
      return l;
    }
    return null;
  };

  /** False when the link takes nothing more. */
  const sendPiece = async (l: Lane): Promise<boolean> => {
    const { turn, sent: offset } = l;
    const { outputFrameBytes } = limits();
    const memory = pool.take(OUTPUT_HEADER_ROOM + outputFrameBytes);
    const free = () => pool.give(memory);
    const at = beginOutput(memory, { ...l.ref, offset });
    let length: number;
    try {
      length = await builds.readLog(l.ref, offset, memory.subarray(at, at + outputFrameBytes));
    } catch (error) {
      free();
      if (l.turn !== turn) return true;
      log.error({ err: error, ...l.ref, offset }, 'cannot read the log of a build');
      l.broken = clock.setTimeout(() => {
        l.broken = null;
        void step();
      }, limits().readRetryMs);
      return true;
    }
    if (!up || l.turn !== turn) {
      free();
      return true;
    }
    if (length === 0) {
      // What it grows by is told again.
      l.end = offset;
      free();
      deps.missing?.(l.ref);
      return true;
    }
    l.ready = false;
    const sent = send(memory.subarray(0, at + length), free);
    if (sent) l.sent = offset + length;
    else free();
    return sent;
  };

  const step = async () => {
    if (running) return;
    running = true;
    try {
      while (up && waiting() < limits().socketBufferBytes) {
        const l = next();
        if (!l) break;
        // A link that is closing may take its time: whoever opens the next one begins again.
        if (!(await sendPiece(l))) break;
      }
    } finally {
      running = false;
    }
  };

  return {
    connected(named) {
      up = true;
      const asked = new Set(named.map(refKey));
      for (const [key, l] of lanes) {
        goTo(l, 0);
        l.known = !asked.has(key);
      }
      for (const ref of named) if (!lanes.has(refKey(ref))) lane(ref).known = false;
      void step();
    },
    disconnected() {
      up = false;
      for (const l of lanes.values()) l.turn++;
    },
    grew(ref, logBytes) {
      const l = lane(ref);
      l.end = Math.max(l.end, logBytes);
      void step();
    },
    acknowledged(ref, nextOffset, resend) {
      const l = lanes.get(refKey(ref));
      if (!l) return;
      if (resend || nextOffset > l.sent) goTo(l, nextOffset);
      else l.acknowledged = Math.max(l.acknowledged, nextOffset);
      void step();
    },
    stored(ref) {
      const l = lanes.get(refKey(ref));
      return up && l?.known ? l.acknowledged : null;
    },
    forget(ref) {
      const l = lanes.get(refKey(ref));
      if (!l) return;
      l.turn++;
      l.gathering?.cancel();
      l.broken?.cancel();
      lanes.delete(refKey(ref));
    },
    step: () => void step(),
  };
}
