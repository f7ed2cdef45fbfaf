// Reports the state of the build to every connected daemon: the one that started it, and later ones.
import type { Socket } from 'node:net';
import type { Clock } from '../../shared/clock.js';
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

// Output beyond the log's window does not change its length; it is reported this often.
const SAME_LENGTH_MS = 1_000;
const LAST_WORDS_MS = 500;

export interface Reporter {
  /** Adds a connection; sends the state if the build has started. */
  listen(
    socket: Socket,
    on: { message: (message: DaemonOrder) => void; closed?: () => void },
  ): Channel<BuildMessage>;
  /** The build starts: sends its state to all connections. */
  begin(state: () => BuildState): void;
  /** The takeover is on disk. */
  owned(): void;
  /** The state has changed. */
  changed(): void;
  /** There was output: sends the state if the log has grown, or after a while. */
  active(): void;
  /** The result is on disk. Resolves when all connections have received it, or after a timeout. */
  finished(): Promise<void>;
}

export function createReporter(clock: Clock): Reporter {
  const listeners = new Set<Channel<BuildMessage>>();
  let state: (() => BuildState) | null = null;
  let reported = { log_bytes: -1, at: Number.NEGATIVE_INFINITY };
  let onLastGone = () => {};

  const tell = (channel: Channel<BuildMessage>) => {
    // A connection that is not read gets the latest state later, not every state.
    if (state !== null && !channel.full()) channel.send(state());
  };
  const changed = () => {
    if (state === null) return;
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
    begin(current) {
      state = current;
      changed();
    },
    owned() {
      for (const channel of listeners) channel.send({ type: 'owned' });
    },
    changed,
    active() {
      if (state === null) return;
      if (state().log_bytes !== reported.log_bytes || clock.monotonic() - reported.at >= SAME_LENGTH_MS)
        changed();
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
