// Links that show one build to anybody who has them, for a short time.

import type { Clock } from '../../../shared/clock.js';
import { findAccount } from '../../access/app/organizations.js';
import type { InTransaction } from '../../platform/app/in-transaction.js';
import { createTickets } from '../../platform/app/tickets.js';
import type { Vault } from '../../platform/app/vault.js';
import { type Caller, isInScope, scopeOf } from '../../platform/domain/caller.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Store, Transaction } from '../../platform/store/sql.js';
import { beginLinkSeries, findLinkState } from '../store/build-links.js';

export interface SharedBuild {
  readonly buildId: string;
  readonly expiresAt: number;
  /** Can read that build's workspace; routes must check the build. */
  readonly caller: Caller;
}

export type BuildSharing = ReturnType<typeof createBuildSharing>;

export function createBuildSharing(deps: {
  store: Store;
  clock: Clock;
  vault: Vault;
  limits: Pick<Limits, 'build_link_ms'>;
}) {
  const { store, limits } = deps;
  const tickets = createTickets(deps, { purpose: 'build-link', validMs: limits.build_link_ms });
  const present = async (tx: Transaction, caller: Caller, buildId: string) => {
    const build = await findLinkState(tx, buildId);
    if (!build || !isInScope(scopeOf(caller), build)) throw new ApiError('build_not_found');
    return build;
  };
  return {
    /** @throws ApiError build_not_found, secrets_unavailable */
    share: (caller: Caller, buildId: string, shared: InTransaction) =>
      store.transaction(async (tx) => {
        const { linkSeries } = await present(tx, caller, buildId);
        const { ticket, expiresAt } = tickets.issue(`${buildId}/${linkSeries}`);
        await shared(tx);
        return { token: ticket, expiresAt };
      }),

    /** Withdraws all links of the build. @throws ApiError build_not_found */
    withdraw: (caller: Caller, buildId: string, withdrawn: InTransaction): Promise<void> =>
      store.transaction(async (tx) => {
        await present(tx, caller, buildId);
        await beginLinkSeries(tx, buildId);
        await withdrawn(tx);
      }),

    /**
     * Returns the build that a token was issued for.
     *
     * @throws ApiError not_found for a token that is forged, expired or withdrawn, and when the build has been deleted;
     *   organization_suspended
     */
    async open(token: string, ip: string): Promise<SharedBuild> {
      const ticket = tickets.read(token);
      const [buildId = '', series = 0] = ticket?.id.split('/') ?? [];
      const build = ticket && (await findLinkState(store, buildId));
      const isCurrent = build?.linkSeries === Number(series);
      const account = isCurrent ? await findAccount(store, build.accountId) : null;
      if (!ticket || !build || !account || account.status === 'closed') {
        throw new ApiError('not_found', { message: 'The link is not valid, has expired, or was withdrawn.' });
      }
      if (account.status === 'suspended') throw new ApiError('organization_suspended');
      const { workspaceId } = build;
      const place = { account, workspaceId, workspaceIds: [workspaceId] };
      const caller: Caller = { ...place, key: null, person: null, levels: ['read'], ip };
      return { buildId, expiresAt: ticket.expiresAt, caller };
    },
  };
}
