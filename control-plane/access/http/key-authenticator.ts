// Authenticates API keys. The order of the checks is part of the contract: header format, checksum, lookup, revoked
// or expired, linked, closed, suspended, address.
import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../../shared/clock.js';
import type { Caller } from '../../platform/domain/caller.js';
import { clientBlock } from '../../platform/domain/cidr.js';
import { ApiError, type ErrorCode } from '../../platform/domain/error-catalog.js';
import { bearerToken } from '../../platform/http/bearer.js';
import type { RateLimiter } from '../../platform/http/rate-limit.js';
import type { ApiKeys, KnownKey } from '../app/api-keys.js';

export interface KeyAuthenticatorDeps {
  readonly apiKeys: ApiKeys;
  readonly clock: Clock;
  /** Failed attempts per address and minute. */
  readonly failures: RateLimiter;
  clientIp(request: FastifyRequest): string;
}

/** @param leakedCode code for a key that was revoked after a leak: the API answers as for an unknown key */
export function createKeyAuthenticator(deps: KeyAuthenticatorDeps, leakedCode: ErrorCode) {
  const { apiKeys, clock, failures, clientIp } = deps;

  const settle = async (known: KnownKey | null, ip: string): Promise<Caller> => {
    if (!known) throw await refused(ip, 'invalid_api_key');
    const { key, account, ranges } = known;
    if (key.revokedAt !== null) {
      throw await refused(ip, key.revokedReason === 'leaked' ? leakedCode : 'invalid_api_key');
    }
    if (key.expiresAt !== null && key.expiresAt <= clock.now()) throw await refused(ip, 'invalid_api_key');
    if (!account || key.workspaceId === null) throw new ApiError('organization_required');
    if (account.status === 'closed') throw await refused(ip, 'invalid_api_key');
    if (account.status === 'suspended') throw new ApiError('organization_suspended');
    if (ranges && !ranges.includes(ip)) throw new ApiError('ip_not_allowed');
    apiKeys.used(known);
    return {
      account,
      workspaceId: key.workspaceId,
      workspaceIds: [key.workspaceId],
      key: {
        id: key.keyId,
        name: key.name,
        prefix: key.prefix,
        levels: key.levels,
        cidrs: key.cidrs,
        expiresAt: key.expiresAt,
      },
      person: null,
      levels: key.levels,
      ip,
    };
  };

  /** Limits guessing: an address with too many failures gets 429. */
  const refused = async (ip: string, code: ErrorCode): Promise<ApiError> => {
    const taken = await failures.take(clientBlock(ip));
    return taken.ok
      ? new ApiError(code)
      : new ApiError('rate_limited', { retryAfterS: Math.max(1, taken.retryAfterS) });
  };

  return async (request: FastifyRequest): Promise<Caller> => {
    const ip = clientIp(request);
    const token = bearerToken(request.headers.authorization);
    if (token === null) throw await refused(ip, 'api_key_required');
    return settle(await apiKeys.recognize(token), ip);
  };
}
