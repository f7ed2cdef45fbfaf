// How the daemon comes to speak with a build's process: by giving it the build, or by finding it again.
import { createConnection } from 'node:net';
import type { Clock } from '../../shared/clock.js';
import { BuildStepError } from './build-step-error.js';
import {
  type BuildMessage,
  buildMessage,
  type Channel,
  type DaemonMessage,
  openChannel,
  type StartOrder,
} from './control.js';
import { asStepError } from './outcome.js';
import type { BuildChild } from './spares.js';
import { within } from './waiting.js';

export type DaemonChannel = Channel<DaemonMessage>;

/** What is told of a build that is taken over. */
export type BuildNews = Extract<BuildMessage, { type: 'state' | 'finished' }>;

export interface ChannelEvents {
  message(message: BuildNews, channel: DaemonChannel): void;
  /** Only after a message. */
  closed(): void;
}

interface Waiting {
  clock: Clock;
  waitMs: number;
  events: ChannelEvents;
}

/**
 * Resolves with true once the process owns the build, or with false when the attempt has been somebody else's already.
 * The build does not wait for that: there may be news of it before.
 *
 * @throws BuildStepError (host_disk_full, internal_error) when the process could not take it over; it is then gone
 */
export async function handOver(
  child: BuildChild,
  order: StartOrder,
  { clock, waitMs, events }: Waiting,
): Promise<boolean> {
  let spoken = false;
  const answer = new Promise<boolean>((resolve, reject) => {
    const channel: DaemonChannel = openChannel(child.socket, buildMessage, {
      message(message) {
        if (message.type === 'refused') {
          const error = Object.assign(new Error(message.message), { code: message.code });
          return message.code === 'EEXIST' ? resolve(false) : reject(asStepError(error, 'prepare'));
        }
        if (message.type === 'owned') return resolve(true);
        spoken = true;
        events.message(message, channel);
      },
      closed() {
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
export function reconnect(
  address: string,
  { clock, waitMs, events }: Waiting,
): Promise<'there' | 'dropped' | 'gone'> {
  const answer = new Promise<'there' | 'dropped' | 'gone'>((resolve) => {
    const socket = createConnection(address);
    let connected = false;
    let spoken = false;
    socket.once('connect', () => {
      connected = true;
    });
    const channel: DaemonChannel = openChannel(socket, buildMessage, {
      message(message) {
        if (message.type === 'owned' || message.type === 'refused') return;
        spoken = true;
        events.message(message, channel);
        resolve('there');
      },
      closed() {
        if (spoken) events.closed();
        resolve(connected ? 'dropped' : 'gone');
      },
    });
  });
  return within(answer, clock, waitMs, 'there');
}

function notTaken(why: string): BuildStepError {
  return new BuildStepError(
    'prepare',
    'internal_error',
    'platform',
    `The build could not be started: ${why}.`,
  );
}
