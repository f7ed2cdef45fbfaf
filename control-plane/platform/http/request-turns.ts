// Lets every request wait for its turn on the main thread (ADR 54), except those that operators and hosts depend on.

import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Turns } from '../app/turns.js';
import { isVisitor } from '../domain/caller.js';
import { clientBlock } from '../domain/cidr.js';
import { ApiError } from '../domain/error-catalog.js';
import type { Limits } from '../domain/limits.js';
import type { AnswersInFlight } from './answers-in-flight.js';
import { largeJsonOf, paceBody } from './paced-body.js';
import { RequestTurn } from './request-turn.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null before the request has waited for its first turn. */
    turn: RequestTurn | null;
    /** Name of the party of a host; null: caller or address say it. */
    party: string | null;
    /**
     * Calls `then` in a turn of the request, or with rate_limited if too many of its party wait.
     *
     * @param bytes size of the body that is kept meanwhile
     */
    takeTurn?: (bytes: number, then: (error?: Error) => void) => void;
    /** Lets its body be read in turns from now on. */
    paceBody?: () => void;
    /** Null before the hooks. Parsers of bodies do not get it from Fastify. */
    ownReply: FastifyReply | null;
  }
  interface FastifyContextConfig {
    /** Runs without waiting for a turn. */
    isUrgent?: boolean;
  }
}

const LONGEST_RETRY_S = 60;

export interface RequestTurnsDeps {
  readonly turns: Turns;
  readonly answers: AnswersInFlight;
  readonly refusals: TurnRefusals;
  readonly limits: Pick<Limits, 'json_body_bytes'>;
  clientIp(request: FastifyRequest): string;
}

export function mountRequestTurns(server: FastifyInstance, deps: RequestTurnsDeps): void {
  const { turns, answers, refusals } = deps;
  server.decorateRequest('turn', null);
  server.decorateRequest('party', null);
  server.decorateRequest('ownReply', null);
  /** Begins to wait for the first turn of the request; `bytes` of its body are kept until it has another one. */
  const open = (request: FastifyRequest, bytes: number): RequestTurn | ApiError => {
    const { ownReply: reply } = request;
    if (!reply) throw new Error('the request has no reply yet');
    const party = partyOf(request, deps);
    // Hosts wait, but are never refused: builds depend on them.
    const leave = request.party === null ? refusals.enter(party, bytes) : () => {};
    if (leave instanceof ApiError) return leave;
    request.turn = new RequestTurn(request, reply, { party, turns, answers, left: leave });
    return request.turn;
  };
  server.decorateRequest('takeTurn', function (this: FastifyRequest, bytes, then) {
    if (this.turn?.isRunning) return then();
    const turn = this.turn ?? open(this, bytes);
    if (turn instanceof ApiError) return then(turn);
    turn.take(() => {
      turn.received({ isAnsweredSoon: !this.routeOptions.config.route?.rawBody });
      then();
    });
  });
  const paced = new WeakSet<FastifyRequest>();
  server.decorateRequest('paceBody', function (this: FastifyRequest) {
    if (paced.has(this)) return;
    paced.add(this);
    const party = partyOf(this, deps);
    paceBody(this.raw, () => turns.next(party));
  });
  server.addHook('onRequest', (request, reply, done) => {
    request.ownReply = reply;
    done();
  });
  server.addHook('preParsing', (request, _, payload, done) => {
    const bytes = largeJsonOf(request.raw, deps.limits.json_body_bytes);
    if (bytes === null) return done(null, payload);
    const turn = open(request, Math.min(bytes, deps.limits.json_body_bytes));
    if (turn instanceof ApiError) return done(turn);
    turn.take(() => {
      request.paceBody?.();
      done(null, payload);
    });
  });
  server.addHook('preHandler', (request, _, done) => {
    if (request.routeOptions.config.isUrgent) return done();
    request.takeTurn?.(0, done);
  });
  server.addHook<unknown>('onSend', (request, reply, payload, done) => {
    const { turn } = request;
    // A long text is encoded once: to count its bytes takes about as long.
    const sent = typeof payload === 'string' && isLarge(payload.length) ? Buffer.from(payload) : payload;
    const size = sizeOf(sent);
    turn?.answer.answered(size);
    // The answer to HEAD has the size of what it does not send.
    if (!isLarge(size) || request.method === 'HEAD') return done(null, payload);
    const bytes = Buffer.isBuffer(sent) ? sent : Buffer.from(String(sent));
    reply.header('content-length', bytes.length);
    done(null, pacedAnswer(bytes));
  });
  server.addHook('onClose', async () => answers.close());
}

function sizeOf(payload: unknown): number {
  if (typeof payload === 'string') return Buffer.byteLength(payload);
  return Buffer.isBuffer(payload) ? payload.length : 0;
}

function partyOf(request: FastifyRequest, { clientIp }: RequestTurnsDeps): string {
  const { caller, session, party } = request;
  if (party !== null) return party;
  // Visitors do not use up what the account has.
  if (caller) return `${isVisitor(caller) ? 'visitors' : 'account'} ${caller.account.id}`;
  return session ? `person ${session.userId}` : `address ${clientBlock(clientIp(request))}`;
}

/** Refuses requests of parties with too many that wait. */
export type TurnRefusals = ReturnType<typeof createTurnRefusals>;

export function createTurnRefusals(deps: {
  turns: Pick<Turns, 'queued'>;
  limits: Pick<
    Limits,
    'account_waiting_requests' | 'account_waiting_bytes' | 'account_patient_requests' | 'turn_wait_ms'
  >;
}) {
  const { turns, limits } = deps;
  const kept = new Map<string, number>();
  let refused = 0;
  const change = (party: string, bytes: number) => {
    const now = (kept.get(party) ?? 0) + bytes;
    if (now > 0) kept.set(party, now);
    else kept.delete(party);
  };
  return {
    /** Returns rate_limited, or a function that is called once when the request waits no longer. */
    enter(party: string, bytes: number): ApiError | (() => void) {
      const { waiting, shared, expectedMs } = turns.queued(party);
      const full = waiting >= limits.account_waiting_requests;
      const before = kept.get(party) ?? 0;
      const tooLarge = waiting + before > 0 && before + bytes > limits.account_waiting_bytes;
      // A browser asks for the files of a page at once, and does not ask again for one that is refused.
      const tooLate = waiting >= limits.account_patient_requests && shared && expectedMs > limits.turn_wait_ms;
      if (full || tooLarge || tooLate) {
        refused++;
        return tooBusy(waiting, expectedMs);
      }
      change(party, bytes);
      let isOver = false;
      return () => {
        if (!isOver) change(party, -bytes);
        isOver = true;
      };
    },
    gauges: [
      {
        name: 'cidermill_refused_turns_total',
        help: 'Requests that were refused because too many of their account were waiting',
        type: 'counter' as const,
        read: () => ({ '': refused }),
      },
    ],
  };
}

const tooBusy = (waiting: number, expectedMs: number) =>
  new ApiError('rate_limited', {
    message: `${waiting} requests of this account wait already; send fewer at the same time.`,
    detail: { limit: 'waiting_requests' },
    retryAfterS: Math.min(LONGEST_RETRY_S, Math.max(1, Math.ceil(expectedMs / 1_000))),
  });

/** Answers up to this size are written at once. */
const PIECE = 64 * 1024;

const isLarge = (bytes: number): boolean => bytes > PIECE;

/**
 * Writes a large answer at the pace of its reader, so that what has been read of it can be told.
 *
 * @example reply.header('content-length', answer.length).send(pacedAnswer(answer))
 */
function pacedAnswer(answer: Buffer): Readable {
  let at = 0;
  return new Readable({
    highWaterMark: 1,
    read() {
      const piece = answer.subarray(at, at + PIECE);
      at += piece.length;
      this.push(piece.length > 0 ? piece : null);
    },
  });
}
