// Limits the concurrent requests of an account: long polls and followed logs, uploads, and event streams.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { limitOf } from '../domain/account-limits.js';
import { type Caller, isVisitor } from '../domain/caller.js';
import { ApiError } from '../domain/error-catalog.js';
import type { Limits } from '../domain/limits.js';
import { whenOver } from './when-over.js';

const RETRY_S = 5;

const kinds = {
  parked_requests: 'long polls and followed logs',
  concurrent_uploads: 'uploads',
} as const;

const PAGES = 'pages with live updates';

export type OpenRequests = ReturnType<typeof createOpenRequests>;

export function createOpenRequests(limits: Limits) {
  const counts = {
    parked_requests: new Map<string, number>(),
    concurrent_uploads: new Map<string, number>(),
  };
  const streams = { ofAccount: new Map<number, number>(), ofPerson: new Map<string, number>() };
  return {
    /**
     * Counts the request until its response is sent or its connection closes.
     *
     * @throws ApiError rate_limited when the account has reached its limit
     */
    enter(kind: keyof typeof kinds, caller: Caller, request: FastifyRequest, reply: FastifyReply): void {
      const most = limitOf(caller.account, kind, limits);
      const open = counts[kind];
      const name = nameOf(caller);
      if ((open.get(name) ?? 0) >= most) throw tooMany('This account has', most, kinds[kind], kind);
      whenOver(request, reply, counted(open, name));
    },
    /**
     * Counts an event stream towards its person and account until it ends.
     *
     * @throws ApiError rate_limited when one of them has reached its limit
     */
    enterStream(request: FastifyRequest, reply: FastifyReply): void {
      const { caller, session } = request;
      const ofPerson = limits.event_streams_per_person;
      if (session && (streams.ofPerson.get(session.userId) ?? 0) >= ofPerson) {
        throw tooMany('You have', ofPerson, PAGES, 'event_streams');
      }
      const ofAccount = limits.event_streams_per_account;
      if (caller && (streams.ofAccount.get(caller.account.id) ?? 0) >= ofAccount) {
        throw tooMany('This account has', ofAccount, PAGES, 'event_streams');
      }
      const leave = [
        ...(session ? [counted(streams.ofPerson, session.userId)] : []),
        ...(caller ? [counted(streams.ofAccount, caller.account.id)] : []),
      ];
      whenOver(request, reply, () => {
        for (const left of leave) left();
      });
    },
    /** Returns the number of the account's open requests. */
    of: (accountId: number): Readonly<Record<keyof typeof kinds, number>> => ({
      parked_requests: counts.parked_requests.get(String(accountId)) ?? 0,
      concurrent_uploads: counts.concurrent_uploads.get(String(accountId)) ?? 0,
    }),
    gauges: [
      {
        name: 'cidermill_open_requests',
        help: 'Open long polls and followed logs, uploads, and event streams of the console',
        read: () => ({
          'kind="parked"': sumOf(counts.parked_requests),
          'kind="upload"': sumOf(counts.concurrent_uploads),
          'kind="events"': sumOf(streams.ofPerson),
        }),
      },
    ],
  };
}

/** Visitors are counted apart, so that they do not use up what the account has. */
const nameOf = (caller: Caller) => `${caller.account.id}${isVisitor(caller) ? ' visitors' : ''}`;

/** Counts one more of `name`; returns a function that counts it no longer. */
function counted<Name>(open: Map<Name, number>, name: Name): () => void {
  open.set(name, (open.get(name) ?? 0) + 1);
  return () => {
    const left = (open.get(name) ?? 1) - 1;
    if (left > 0) open.set(name, left);
    else open.delete(name);
  };
}

const tooMany = (who: string, most: number, what: string, limit: string) =>
  new ApiError('rate_limited', {
    message: `${who} ${most} ${what} open (limit: ${most}); wait until one of them ends.`,
    detail: { limit },
    retryAfterS: RETRY_S,
  });

const sumOf = (open: ReadonlyMap<unknown, number>) => [...open.values()].reduce((sum, count) => sum + count, 0);
