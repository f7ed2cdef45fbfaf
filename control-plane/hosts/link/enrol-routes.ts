// Requests of machines that are not hosts yet, and the request of a host that checks whether this is its service. Their
// senders are not authenticated: failures are limited per address, stored rows in total.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '../../../shared/clock.js';
import { approvalRequest, enrolRequest, proofRequest } from '../../../shared/protocol/index.js';
import { HOST_JOINED } from '../../access/domain/audit-actions.js';
import type { AuditSink } from '../../platform/app/audit-sink.js';
import { anonymous } from '../../platform/domain/audit-entry.js';
import { clientBlock } from '../../platform/domain/cidr.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Limits } from '../../platform/domain/limits.js';
import { bearerToken } from '../../platform/http/bearer.js';
import type { RateLimits } from '../../platform/http/rate-limit.js';
import type { Hosts } from '../app/hosts.js';
import { valid } from './valid.js';

export interface EnrolRoutesDeps {
  readonly hosts: Pick<Hosts, 'enrol' | 'requestApproval' | 'approvedHost' | 'prove'>;
  /** Root address of the service. */
  readonly siteUrl: string;
  readonly clock: Clock;
  readonly rateLimits: RateLimits;
  readonly limits: Pick<Limits, 'failed_enrolments_per_minute' | 'approvals_per_minute' | 'approval_poll_ms'>;
  readonly audit: Pick<AuditSink, 'append' | 'failed'>;
  clientIp(request: FastifyRequest): string;
}

export function enrolRoutes(link: FastifyInstance, deps: EnrolRoutesDeps): void {
  const { hosts, clock, rateLimits, limits, audit, clientIp } = deps;
  const perMinute = limits.failed_enrolments_per_minute;
  const failures = rateLimits({ kind: 'enrolment', perMinute, exact: true });
  const approvals = rateLimits({ kind: 'approval', perMinute: limits.approvals_per_minute, exact: true });
  const ofAddress = Math.ceil(limits.approvals_per_minute / 5);
  const approvalsOf = rateLimits({ kind: 'approval address', perMinute: ofAddress, exact: true });

  /** Refuses an address with too many failures before the work, and counts a failed authentication. */
  const guarded = async <T>(request: FastifyRequest, work: (ip: string) => Promise<T>): Promise<T> => {
    const ip = clientIp(request);
    const left = await failures.take(clientBlock(ip), 0);
    if (left.remaining < 1) throw new ApiError('rate_limited', { retryAfterS: left.retryAfterS });
    try {
      return await work(ip);
    } catch (error) {
      if (error instanceof ApiError && unauthenticated.has(error.code)) {
        await failures.take(clientBlock(ip));
        audit.failed(joined(ip, null), error.code);
      }
      throw error;
    }
  };

  link.post('/enrol', (request, reply) =>
    guarded(request, async (ip) => {
      const answer = await hosts.enrol(valid(enrolRequest, request.body), (tx, hostId) =>
        audit.append(tx, joined(ip, hostId)),
      );
      return reply.code(201).send(answer);
    }),
  );

  link.post('/approvals', (request, reply) =>
    guarded(request, async (ip) => {
      const machine = valid(approvalRequest, request.body);
      // First the address, so that a single one cannot use up the requests of all.
      for (const taken of [() => approvalsOf.take(clientBlock(ip)), () => approvals.take('all')]) {
        const { ok, retryAfterS } = await taken();
        if (!ok) throw new ApiError('rate_limited', { retryAfterS });
      }
      const { code, expiresAt } = await hosts.requestApproval(machine, ip);
      return reply.code(201).send({
        code,
        expires_in_ms: Math.max(0, expiresAt - clock.now()),
        poll_ms: limits.approval_poll_ms,
      });
    }),
  );

  link.get('/approvals', (request) =>
    guarded(request, async () => {
      const credential = bearerToken(request.headers.authorization);
      if (credential === null) throw new ApiError('invalid_enrolment_token');
      const host = await hosts.approvedHost(credential);
      return { host: host && { host_id: host.hostId, name: host.name } };
    }),
  );

  link.post('/proof', (request) =>
    guarded(request, () => hosts.prove(valid(proofRequest, request.body), deps.siteUrl)),
  );
}

const unauthenticated: ReadonlySet<string> = new Set(['invalid_enrolment_token', 'invalid_host_credential']);

const joined = (ip: string, target: string | null) => ({
  ...anonymous,
  ip,
  action: HOST_JOINED,
  accountId: null,
  target,
});
