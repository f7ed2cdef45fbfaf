// How the daemon comes to speak with a build's process: by giving it the build, or by finding it again.
import { createConnection } from 'node:net';
import type { Clock } from '../../shared/clock.js';
import { type Heartbeat, startHeartbeat } from '../../shared/heartbeat.js';
import { asStepError, BuildStepError } from '../contract/build-step-error.js';
import {
  type BuildMessage,
  buildMessage,
  type Channel,
  type DaemonMessage,
  openChannel,
  type StartOrder,
} from '../contract/control.js';
import { within } from '../system/waiting.js';
import type { BuildChild } from './warm-pool.js';

export type DaemonChannel = Channel<DaemonMessage>;

/** What is told of a build that is taken over. */
export type BuildNews = Extract<BuildMessage, { type: 'state' | 'finished' }>;

export interface ChannelEvents {
  /** A process listens at the other end; before everything else. */
  opened(channel: DaemonChannel): void;
  message(message: BuildNews): void;
  /** The process is connected, and has not answered for `hungMs`. */
  hung(): void;
  /** Only when the build was taken over, or found to be there. */
  closed(): void;
}

interface Waiting {
  clock: Clock;
  waitMs: number;
  /** 0: a process may be silent as long as it likes. */
  hungMs: number;
  events: ChannelEvents;
}

/** Silence of so many periods means that a process hangs. */
const PULSE_PERIODS = 4;

/** Asks the process at the other end for signs of life. */
function takePulse({ clock, hungMs, events }: Waiting, channel: DaemonChannel): Heartbeat | null {
  if (hungMs === 0) return null;
  return startHeartbeat({
    clock,
    everyMs: Math.ceil(hungMs / PULSE_PERIODS),
    periods: PULSE_PERIODS,
    ping: () => channel.send({ type: 'ping' }),
    lost: events.hung,
  });
}

/**
 * Resolves with true once the process owns the build, or with false when the attempt has been somebody else's already.
 * The build does not wait for that: there may be news of it before.
 *
 * @throws BuildStepError (host_disk_full, internal_error) when the process could not take it over; it is then gone
 */
export async function handOver(child: BuildChild, order: StartOrder, waiting: Waiting): Promise<boolean> {
  const { clock, waitMs, events } = waiting;
  let spoken = false;
  let pulse: Heartbeat | null = null;
  const answer = new Promise<boolean>((resolve, reject) => {
    const channel: DaemonChannel = openChannel(child.socket, buildMessage, {
      message(message) {
        pulse?.heard();
        if (message.type === 'pong') return;
        if (message.type === 'refused') {
          const error = Object.assign(new Error(message.message), { code: message.code });
          return message.code === 'EEXIST' ? resolve(false) : reject(asStepError(error, 'prepare'));
        }
        if (message.type === 'owned') return resolve(true);
        if (!spoken) {
          spoken = true;
          pulse = takePulse(waiting, channel);
          events.opened(channel);
        }
        events.message(message);
      },
      closed() {
        pulse?.stop();
        if (spoken) events.closed();
        if (spoken) resolve(true);
        else reject(notTaken('its process ended before it took it over'));
      },
    });
    channel.send(order);
  });
  const settled = await within(answer, clock, waitMs, null);
  if (settled !== null || spoken) return settled ?? true;
  child.kill();
  throw notTaken(`its process did not answer within ${waitMs} ms`);
}

/**
 * Connects to the control socket of a build.
 *
 * @returns gone: nobody listens there any more. dropped: somebody did, and closed without a word. there: the process
 *   has told how it does, or is silent and still connected.
 */
export function reconnect(address: string, waiting: Waiting): Promise<'there' | 'dropped' | 'gone'> {
  const { clock, waitMs, events } = waiting;
  return new Promise((resolve) => {
    let connected = false;
    let there = false;
    let pulse: Heartbeat | null = null;
    const isThere = () => {
      patience.cancel();
      there = true;
      resolve('there');
    };
    const patience = clock.setTimeout(isThere, waitMs);
    const socket = createConnection(address);
    const channel: DaemonChannel = openChannel(socket, buildMessage, {
      message(message) {
        pulse?.heard();
        if (message.type !== 'state' && message.type !== 'finished') return;
        isThere();
        events.message(message);
      },
      closed() {
        patience.cancel();
        pulse?.stop();
        if (there) events.closed();
        else resolve(connected ? 'dropped' : 'gone');
      },
    });
    socket.once('connect', () => {
      connected = true;
      pulse = takePulse(waiting, channel);
      events.opened(channel);
    });
  });
}

function notTaken(why: string): BuildStepError {
  return new BuildStepError(
    'prepare',
    'internal_error',
    'platform',
    `The build could not be started: ${why}.`,
  );
}
