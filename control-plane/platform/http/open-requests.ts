// Limits the concurrent requests of an account: long polls and followed logs, and uploads.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Gauge } from '../app/gauge.js';
import { limitsOf } from '../domain/account-limits.js';
import { type Caller, isVisitor } from '../domain/caller.js';
import { ApiError } from '../domain/error-catalog.js';
import type { Limits } from '../domain/limits.js';
import { whenOver } from './when-over.js';

const RETRY_S = 5;

const kinds = {
  parked_requests: 'long polls and followed logs',
  concurrent_uploads: 'uploads',
} as const;

export interface OpenRequests {
  /**
   * Counts the request until its response is sent or its connection closes.
   *
   * @throws ApiError rate_limited when the account has reached its limit
   */
  enter(kind: keyof typeof kinds, caller: Caller, request: FastifyRequest, reply: FastifyReply): void;
  /** Returns the number of the account's open requests. */
  of(accountId: number): Readonly<Record<keyof typeof kinds, number>>;
  readonly gauges: readonly Gauge[];
}

export function createOpenRequests(limits: Limits): OpenRequests {
  const counts = {
    parked_requests: new Map<string, number>(),
    concurrent_uploads: new Map<string, number>(),
  };
  return {
    enter(kind, caller, request, reply) {
      const most = limitsOf(caller.account, limits)[kind];
      const open = counts[kind];
      const name = nameOf(caller);
      const before = open.get(name) ?? 0;
      if (before >= most) {
        throw new ApiError('rate_limited', {
          message: `This account has ${before} ${kinds[kind]} open (limit: ${most}); wait until one of them ends.`,
          detail: { limit: kind },
          retryAfterS: RETRY_S,
        });
      }
      open.set(name, before + 1);
      whenOver(request, reply, () => {
        const left = (open.get(name) ?? 1) - 1;
        if (left > 0) open.set(name, left);
        else open.delete(name);
      });
    },
    of: (accountId) => ({
      parked_requests: counts.parked_requests.get(String(accountId)) ?? 0,
      concurrent_uploads: counts.concurrent_uploads.get(String(accountId)) ?? 0,
    }),
    gauges: [
      {
        name: 'cidermill_open_requests',
        help: 'Open long polls and followed logs, and uploads',
        read: () => ({
          'kind="parked"': sumOf(counts.parked_requests),
          'kind="upload"': sumOf(counts.concurrent_uploads),
        }),
      },
    ],
  };
}

/** Visitors are counted apart, so that they do not use up what the account has. */
const nameOf = (caller: Caller) => `${caller.account.id}${isVisitor(caller) ? ' visitors' : ''}`;

const sumOf = (open: ReadonlyMap<string, number>) =>
  [...open.values()].reduce((sum, count) => sum + count, 0);
