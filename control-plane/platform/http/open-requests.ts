// Limits the concurrent requests of an account: long polls and followed logs, uploads, and event streams.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createHeldCounts } from '../app/held-counts.js';
import { limitOf } from '../domain/account-limits.js';
import { type Caller, isVisitor } from '../domain/caller.js';
import { ApiError } from '../domain/error-catalog.js';
import type { Limits } from '../domain/limits.js';
import type { SharedCounts } from '../domain/shared-state.js';
import { whenOver } from './when-over.js';

const RETRY_S = 5;

const kinds = {
  parked_requests: 'long polls and followed logs',
  concurrent_uploads: 'uploads',
} as const;

const PAGES = 'pages with live updates';

export type OpenRequests = ReturnType<typeof createOpenRequests>;

/** @param shared where processes count together; null: this process counts by itself */
export function createOpenRequests(limits: Limits, shared: SharedCounts | null = null) {
  const kept = (kind: string) => createHeldCounts(kind, shared);
  const counts = { parked_requests: kept('parked'), concurrent_uploads: kept('upload') };
  const streams = { ofAccount: kept('streams of account'), ofPerson: kept('streams of person') };
  return {
    /**
     * Counts the request until its response is sent or its connection closes.
     *
     * @throws ApiError rate_limited when the account has reached its limit
     */
    async enter(kind: keyof typeof kinds, caller: Caller, request: FastifyRequest, reply: FastifyReply): Promise<void> {
      const most = limitOf(caller.account, kind, limits);
      const left = await counts[kind].enter(nameOf(caller), most);
      if (left === null) throw tooMany('This account has', most, kinds[kind], kind);
      whenOver(request, reply, left);
    },
    /**
     * Counts an event stream towards its person and account until it ends.
     *
     * @throws ApiError rate_limited when one of them has reached its limit
     */
    async enterStream(request: FastifyRequest, reply: FastifyReply): Promise<void> {
      const { caller, session } = request;
      const ofPerson = limits.event_streams_per_person;
      const leavePerson = session ? await streams.ofPerson.enter(session.userId, ofPerson) : () => {};
      if (leavePerson === null) throw tooMany('You have', ofPerson, PAGES, 'event_streams');
      const ofAccount = limits.event_streams_per_account;
      const leaveAccount = caller ? await streams.ofAccount.enter(String(caller.account.id), ofAccount) : () => {};
      if (leaveAccount === null) {
        leavePerson();
        throw tooMany('This account has', ofAccount, PAGES, 'event_streams');
      }
      whenOver(request, reply, () => {
        leavePerson();
        leaveAccount();
      });
    },
    /** Returns the number of the account's open requests. */
    async of(accountId: number): Promise<Readonly<Record<keyof typeof kinds, number>>> {
      const name = String(accountId);
      const [parked, uploads] = await Promise.all([
        counts.parked_requests.total(name),
        counts.concurrent_uploads.total(name),
      ]);
      return { parked_requests: parked, concurrent_uploads: uploads };
    },
    gauges: [
      {
        name: 'cidermill_open_requests',
        help: 'Open long polls and followed logs, uploads, and event streams of the console',
        read: () => ({
          'kind="parked"': counts.parked_requests.here(),
          'kind="upload"': counts.concurrent_uploads.here(),
          'kind="events"': streams.ofPerson.here(),
        }),
      },
    ],
  };
}

/** Visitors are counted apart, so that they do not use up what the account has. */
const nameOf = (caller: Caller) => `${caller.account.id}${isVisitor(caller) ? ' visitors' : ''}`;

const tooMany = (who: string, most: number, what: string, limit: string) =>
  new ApiError('rate_limited', {
    message: `${who} ${most} ${what} open (limit: ${most}); wait until one of them ends.`,
    detail: { limit },
    retryAfterS: RETRY_S,
  });
