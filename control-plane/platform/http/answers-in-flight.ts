// Bounds the bytes of answers that clients have not read yet: an account beyond its bound begins no further request until
// some have been read, and a client that reads nothing for a while is disconnected.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../../shared/clock.js';
import type { Gauge } from '../app/gauge.js';
import type { Limits } from '../domain/limits.js';
import { createReaders } from './readers.js';

/** Weight of the last answer in the average size of a party's answers. */
const NEWEST = 1 / 8;

interface Party {
  /** Bytes that have been answered and not read. */
  bytes: number;
  /** Requests that have begun and will be answered soon. */
  begun: number;
  /** Size of an answer, from those before. */
  expected: number;
  /** Requests that are not over. */
  open: number;
}

/** The answer of one request. */
export interface InFlight {
  /** Its handler begins. */
  begun(): void;
  /** It will be answered much later: it waits, or its body arrives as a stream. */
  parked(): void;
  /** @param bytes size of the answer; 0 for one that is streamed */
  answered(bytes: number): void;
  /** It has been read, or its connection has closed. */
  over(): void;
}

export interface AnswersInFlight {
  of(party: string, request: FastifyRequest, reply: FastifyReply): InFlight;
  /** Returns whether the party has room for another answer. */
  admits(party: string): boolean;
  readonly gauges: readonly Gauge[];
  close(): void;
}

/**
 * @param deps.clock real time: clients do not follow the test clock
 * @param deps.freed called when a party may have room again
 */
export function createAnswersInFlight(deps: {
  limits: Pick<Limits, 'account_answer_bytes' | 'answer_read_ms'>;
  clock: Clock;
  freed(): void;
}): AnswersInFlight {
  const { limits, clock } = deps;
  const parties = new Map<string, Party>();
  const readers = createReaders(clock, limits.answer_read_ms);

  const admits = (name: string) => {
    const party = parties.get(name);
    if (!party || party.bytes + party.begun === 0) return true;
    return party.bytes + party.begun * party.expected < limits.account_answer_bytes;
  };
  const partyOf = (name: string) => {
    const party = parties.get(name) ?? { bytes: 0, begun: 0, expected: 0, open: 0 };
    parties.set(name, party);
    return party;
  };

  return {
    of(name, { raw }) {
      const party = partyOf(name);
      party.open++;
      let bytes = 0;
      let isBegun = false;
      let isOver = false;
      let leave = () => {};
      const parked = () => {
        if (isBegun) party.begun--;
        isBegun = false;
      };
      return {
        begun() {
          if (isOver || isBegun) return;
          isBegun = true;
          party.begun++;
        },
        parked,
        answered(size) {
          // The connection has closed before.
          if (isOver) return;
          parked();
          party.expected += size > party.expected ? size - party.expected : (size - party.expected) * NEWEST;
          bytes += size;
          party.bytes += size;
          leave = readers.watch(raw.socket);
        },
        over() {
          isOver = true;
          const mayHaveRoom = bytes > 0 || isBegun;
          parked();
          party.bytes -= bytes;
          leave();
          party.open--;
          if (party.open === 0) parties.delete(name);
          if (mayHaveRoom) deps.freed();
        },
      };
    },
    admits,
    gauges: [
      {
        name: 'cidermill_answer_bytes_in_flight',
        help: 'Bytes of answers that clients have not read yet',
        read: () => ({ '': [...parties.values()].reduce((sum, { bytes }) => sum + bytes, 0) }),
      },
      {
        name: 'cidermill_unread_disconnects_total',
        help: 'Connections that were closed because their client did not read',
        type: 'counter',
        read: () => ({ '': readers.disconnected() }),
      },
    ],
    close: readers.close,
  };
}
