// Tells every connected daemon (the one that started the build, or one that came later) how the build is doing.
import type { Socket } from 'node:net';
import type { Clock } from '../../shared/clock.js';
import {
  type BuildMessage,
  type Channel,
  type DaemonMessage,
  daemonMessage,
  openChannel,
} from '../contract/control.js';
import { within } from '../system/waiting.js';

export type BuildState = Extract<BuildMessage, { type: 'state' }>;

/** What a daemon says that is not answered at once. */
export type DaemonOrder = Exclude<DaemonMessage, { type: 'ping' }>;

// Output beyond the log's window changes no length; that there is some is still told this often.
const SAME_LENGTH_MS = 1_000;
const LAST_WORDS_MS = 500;

export interface Reporter {
  /** Hears and is heard by whoever is connected there; tells the state at once if there is a build by now. */
  listen(
    socket: Socket,
    on: { message: (message: DaemonOrder) => void; closed?: () => void },
  ): Channel<BuildMessage>;
  /** There is a build from now on: everybody is told. */
  begin(state: () => BuildState): void;
  /** The takeover is on disk. */
  owned(): void;
  /** The state has changed. */
  changed(): void;
  /** There was output: tells so if the log has grown, or now and then. */
  active(): void;
  /** The result is on disk. Resolves when everybody has been told, or does not listen. */
  finished(): Promise<void>;
}

export function createReporter(clock: Clock): Reporter {
  const listeners = new Set<Channel<BuildMessage>>();
  let state: (() => BuildState) | null = null;
  let told = { log_bytes: -1, at: Number.NEGATIVE_INFINITY };
  let onLastGone = () => {};

  const tell = (channel: Channel<BuildMessage>) => {
    // One that does not read gets the state when it reads again, not every state in between.
    if (state !== null && !channel.full()) channel.send(state());
  };
  const changed = () => {
    if (state === null) return;
    told = { log_bytes: state().log_bytes, at: clock.now() };
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
      if (state().log_bytes !== told.log_bytes || clock.now() - told.at >= SAME_LENGTH_MS) changed();
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
