// Links that show one build to anybody who has them, for a short time.

import type { Clock } from '../../../shared/clock.js';
import { findAccount } from '../../access/app/accounts.js';
import type { InTransaction } from '../../platform/app/in-transaction.js';
import { createTickets } from '../../platform/app/tickets.js';
import type { Vault } from '../../platform/app/vault.js';
import { type Caller, scopeOf } from '../../platform/domain/caller.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Store } from '../../platform/store/sql.js';
import { findAnyBuild, findBuild } from '../store/builds.js';

export interface SharedBuild {
  readonly buildId: string;
  readonly expiresAt: number;
  /** Can read that build's workspace; routes must check the build. */
  readonly caller: Caller;
}

export interface BuildSharing {
  /** @throws ApiError build_not_found, secrets_unavailable */
  share(
    caller: Caller,
    buildId: string,
    shared: InTransaction,
  ): Promise<{ token: string; expiresAt: number }>;
  /**
   * Returns the build that a token was issued for.
   *
   * @throws ApiError not_found for a token that is forged or has expired, and when the build has been deleted;
   *   organization_suspended
   */
  open(token: string, ip: string): Promise<SharedBuild>;
}

export function createBuildSharing(deps: {
  store: Store;
  clock: Clock;
  vault: Vault;
  limits: Pick<Limits, 'build_link_ms'>;
}): BuildSharing {
  const { store, limits } = deps;
  const tickets = createTickets(deps, { purpose: 'build-link', validMs: limits.build_link_ms });
  return {
    share: (caller, buildId, shared) =>
      store.transaction(async (tx) => {
        if (!(await findBuild(tx, scopeOf(caller), buildId))) throw new ApiError('build_not_found');
        const { ticket, expiresAt } = tickets.issue(buildId);
        await shared(tx);
        return { token: ticket, expiresAt };
      }),

    async open(token, ip) {
      const ticket = tickets.read(token);
      const build = ticket && (await findAnyBuild(store, ticket.id));
      const account = build && (await findAccount(store, build.accountId));
      if (!account || account.status === 'closed') {
        throw new ApiError('not_found', { message: 'The link is not valid, or not any more.' });
      }
      if (account.status === 'suspended') throw new ApiError('organization_suspended');
      const { buildId, workspaceId } = build;
      const place = { account, workspaceId, workspaceIds: [workspaceId] };
      const caller: Caller = { ...place, key: null, person: null, levels: ['read'], ip };
      return { buildId, expiresAt: ticket.expiresAt, caller };
    },
  };
}
