// Connects the daemon with a build's process: starts the build in a new process, or reconnects to a running one.

import { createConnection } from 'node:net';
import type { Clock } from '../../shared/clock.js';
import { type Heartbeat, startHeartbeat } from '../../shared/heartbeat.js';
import { hostFailure } from '../../shared/messages/host-failures.js';
import type { Message } from '../../shared/messages/message.js';
import { asStepError, BuildStepError } from '../contract/build-step-error.js';
import {
  type BuildMessage,
  buildMessage,
  type Channel,
  type DaemonMessage,
  openChannel,
  type StartOrder,
} from '../contract/control.js';
import { within } from '../system/within.js';
import type { BuildChild } from './warm-pool.js';

export type DaemonChannel = Channel<DaemonMessage>;

/** Messages about a build whose process has taken it over. */
export type BuildNews = Extract<BuildMessage, { type: 'state' | 'finished' }>;

export interface ChannelEvents {
  /** Called first, when the process is connected. */
  opened(channel: DaemonChannel): void;
  message(message: BuildNews): void;
  /** The process is connected, but has not answered for `hungMs`. */
  hung(): void;
  /** Called only if the build was taken over, or its process was found. */
  closed(): void;
}

interface HandoverOptions {
  clock: Clock;
  waitMs: number;
  /** 0: a process is never considered hung. */
  hungMs: number;
  events: ChannelEvents;
}

/** A process that is silent for this many periods hangs. */
const PING_PERIODS = 4;

/** Pings the process. */
function startPings({ clock, hungMs, events }: HandoverOptions, channel: DaemonChannel): Heartbeat | null {
  if (hungMs === 0) return null;
  return startHeartbeat({
    clock,
    everyMs: Math.ceil(hungMs / PING_PERIODS),
    periods: PING_PERIODS,
    ping: () => channel.send({ type: 'ping' }),
    lost: events.hung,
  });
}

/**
 * Gives the build to the process. Returns true once the process owns it, or false when another process owns the
 * attempt already. The build starts before that, so events may come earlier.
 *
 * @throws BuildStepError (host_disk_full, internal_error) when the process could not take it over; it is then killed
 */
export async function handOver(child: BuildChild, order: StartOrder, options: HandoverOptions): Promise<boolean> {
  const { clock, waitMs, events } = options;
  let connected = false;
  let pings: Heartbeat | null = null;
  const answer = new Promise<boolean>((resolve, reject) => {
    const channel: DaemonChannel = openChannel(child.socket, buildMessage, {
      message(message) {
        pings?.heard();
        if (message.type === 'pong') return;
        if (message.type === 'refused') {
          const error = Object.assign(new Error(message.message), { code: message.code });
          return message.code === 'EEXIST' ? resolve(false) : reject(asStepError(error, 'prepare'));
        }
        if (message.type === 'owned') return resolve(true);
        if (!connected) {
          connected = true;
          pings = startPings(options, channel);
          events.opened(channel);
        }
        events.message(message);
      },
      closed() {
        pings?.stop();
        if (connected) events.closed();
        if (connected) resolve(true);
        else reject(notStarted(hostFailure('process_exited_early')));
      },
    });
    channel.send(order);
  });
  const settled = await within(answer, clock, waitMs, null);
  if (settled !== null || connected) return settled ?? true;
  child.kill();
  throw notStarted(hostFailure('process_did_not_answer', { ms: waitMs }));
}

/**
 * Connects to the control socket of a build.
 *
 * @returns gone: nobody listens. dropped: the process accepted and closed the connection without a message. there:
 *   the process has sent its state, or is connected and silent.
 */
export function reconnect(address: string, options: HandoverOptions): Promise<'there' | 'dropped' | 'gone'> {
  const { clock, waitMs, events } = options;
  return new Promise((resolve) => {
    let connected = false;
    let there = false;
    let pings: Heartbeat | null = null;
    const isThere = () => {
      deadline.cancel();
      there = true;
      resolve('there');
    };
    const deadline = clock.setTimeout(isThere, waitMs);
    const socket = createConnection(address);
    const channel: DaemonChannel = openChannel(socket, buildMessage, {
      message(message) {
        pings?.heard();
        if (message.type !== 'state' && message.type !== 'finished') return;
        isThere();
        events.message(message);
      },
      closed() {
        deadline.cancel();
        pings?.stop();
        if (there) events.closed();
        else resolve(connected ? 'dropped' : 'gone');
      },
    });
    socket.once('connect', () => {
      connected = true;
      pings = startPings(options, channel);
      events.opened(channel);
    });
  });
}

const notStarted = (why: Message): BuildStepError => new BuildStepError('prepare', 'internal_error', 'platform', why);
