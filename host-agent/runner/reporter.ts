// Reports the state of the build to every connected daemon: the one that started it, and later ones.
import type { Socket } from 'node:net';
import type { Clock, Timer } from '../../shared/clock.js';
import {
  type BuildMessage,
  type Channel,
  type DaemonMessage,
  daemonMessage,
  openChannel,
} from '../contract/control.js';
import { within } from '../system/within.js';

export type BuildState = Extract<BuildMessage, { type: 'state' }>;

/** Messages of a daemon that are not answered at once. */
export type DaemonOrder = Exclude<DaemonMessage, { type: 'ping' }>;

// For a service that does not say how often.
const REPORT_MS = 10_000;
const LAST_WORDS_MS = 500;

export interface Reporter {
  /** Adds a connection; sends the state if the build has started. */
  listen(socket: Socket, on: { message: (message: DaemonOrder) => void; closed?: () => void }): Channel<BuildMessage>;
  /**
   * The build starts: sends its state to all connections.
   *
   * @param reportMs output that does not change the length of the log, beyond its window, is reported this often
   */
  begin(state: () => BuildState, reportMs?: number): void;
  /** The takeover is on disk. */
  owned(): void;
  /** The state has changed. */
  changed(): void;
  /** There was output: sends the state at once if the log has grown, else within `reportMs`. */
  active(): void;
  /** The result is on disk. Resolves when all connections have received it, or after a timeout. */
  finished(): Promise<void>;
}

export function createReporter(clock: Clock): Reporter {
  const listeners = new Set<Channel<BuildMessage>>();
  let state: (() => BuildState) | null = null;
  let reported = { log_bytes: -1, at: Number.NEGATIVE_INFINITY };
  let reportMs = REPORT_MS;
  let later: Timer | null = null;
  let onLastGone = () => {};

  const tell = (channel: Channel<BuildMessage>) => {
    // A connection that is not read gets the latest state later, not every state.
    if (state !== null && !channel.full()) channel.send(state());
  };
  const changed = () => {
    if (state === null) return;
    later?.cancel();
    later = null;
    reported = { log_bytes: state().log_bytes, at: clock.monotonic() };
    for (const channel of listeners) tell(channel);
  };

  return {
    listen(socket, on) {
      const channel = openChannel<DaemonMessage, BuildMessage>(socket, daemonMessage, {
        message(message) {
          if (message.type === 'ping') channel.send({ type: 'pong' });
          else on.message(message);
        },
        drained: () => tell(channel),
        closed() {
          listeners.delete(channel);
          if (listeners.size === 0) onLastGone();
          on.closed?.();
        },
      });
      listeners.add(channel);
      tell(channel);
      return channel;
    },
    begin(current, everyMs = REPORT_MS) {
      state = current;
      reportMs = everyMs;
      changed();
    },
    owned() {
      for (const channel of listeners) channel.send({ type: 'owned' });
    },
    changed,
    active() {
      if (state === null) return;
      const wait = reported.at + reportMs - clock.monotonic();
      if (state().log_bytes !== reported.log_bytes || wait <= 0) changed();
      else later ??= clock.setTimeout(changed, wait);
    },
    async finished() {
      changed();
      const allGone = new Promise<void>((resolve) => {
        onLastGone = resolve;
        if (listeners.size === 0) resolve();
      });
      for (const channel of listeners) {
        if (state !== null) channel.send({ type: 'finished' });
        channel.end();
      }
      await within(allGone, clock, LAST_WORDS_MS, null);
    },
  };
}
