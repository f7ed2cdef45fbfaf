// Posts statuses of commits to code hosts. A failed post is recorded and listed; the build is unaffected.
//
// A row per build has the desired state, which a later event replaces. If the build ends before `pending` was attempted, both
// are posted, in order; if `pending` failed, only the final state is. The account's token goes only to the API of the configured
// code host, so builds from other hosts get no status.
import { cleanText } from '../../../shared/clean-text.js';
import { deliveryError, deliveryErrors } from '../../../shared/messages/delivery-errors.js';
import { failureCause } from '../../../shared/messages/failure-causes.js';
import { withTexts } from '../../../shared/messages/message.js';
import { macNameOf } from '../../builds/app/build-changes.js';
import { findBuildOfAnyAccount, showCommitStatus } from '../../builds/app/build-lookup.js';
import { type Secrets, SecretsUnreadableError } from '../../builds/app/secrets.js';
import { type Build, commitErrorOf, type ToldBuild } from '../../builds/domain/build.js';
import type { CommitState } from '../../builds/domain/commit-state.js';
import type { BuildEventType } from '../../builds/domain/event.js';
import type { CodeHosts } from '../../builds/domain/source.js';
import type { Core } from '../../platform/app/core.js';
import { buildConsoleUrl, type SiteAddresses } from '../../platform/domain/addresses.js';
import type { Limits } from '../../platform/domain/limits.js';
import { insertBuildError } from '../../platform/store/api-errors.js';
import type { Transaction } from '../../platform/store/sql.js';
import type { CodeHostStatuses, StatusResult } from '../code-hosts/code-host.js';
import {
  commitStateAfter,
  describeState,
  STATUS_CONTEXT,
  statusCommit,
  statusRepository,
} from '../domain/commit-status.js';
import { RETRY_GAPS_MS } from '../domain/delivery.js';
import {
  claimWantedStatuses,
  nextStatusDueAt,
  putWantedStatus,
  settleWantedStatus,
  type WantedStatus,
} from '../store/commit-statuses.js';

export interface CommitStatusesDeps extends Pick<Core, 'store' | 'clock' | 'wake'> {
  readonly site: SiteAddresses;
  readonly codeHosts: CodeHosts;
  /** Null: the code host has no supported status API. */
  readonly codeHost: CodeHostStatuses | null;
  readonly secrets: Pick<Secrets, 'has' | 'revealFirst'>;
  readonly limits: Pick<Limits, 'webhook_retry_after_ms' | 'webhook_claim_ms'>;
}

const LONGEST_ERROR = 500;

export type CommitStatuses = ReturnType<typeof createCommitStatuses>;

async function postState(
  { codeHost, codeHosts, site, store }: Pick<CommitStatusesDeps, 'codeHost' | 'codeHosts' | 'site' | 'store'>,
  build: Build,
  state: CommitState,
  token: string,
): Promise<StatusResult> {
  const repository = statusRepository(build, codeHosts);
  const commit = statusCommit(build);
  if (codeHost === null || repository === null || commit === null) {
    return { ok: false, error: deliveryError('code_host_changed'), retry: false, retryAfterMs: 0 };
  }
  return codeHost.post({
    repository,
    commit,
    state,
    description: describeState(state, build, await macNameOf(store, build)),
    targetUrl: buildConsoleUrl(site, build.buildId),
    context: STATUS_CONTEXT,
    token,
  });
}

export function createCommitStatuses(deps: CommitStatusesDeps) {
  const { store, clock, wake, codeHosts, codeHost, secrets, limits } = deps;

  const tokenFor = async (accountId: number): Promise<string | null | SecretsUnreadableError> => {
    try {
      return codeHost && (await secrets.revealFirst(accountId, codeHost.secretNames));
    } catch (error) {
      if (error instanceof SecretsUnreadableError) return error;
      throw error;
    }
  };
  const failed = (seen: WantedStatus, build: Build, result: StatusResult & { ok: false }) =>
    store.transaction(async (tx) => {
      const error = withTexts(deliveryErrors, result.error, (text) => cleanText(text, LONGEST_ERROR));
      const gap = result.retry ? RETRY_GAPS_MS[seen.tries] : undefined;
      const now = clock.now();
      const asked = Math.min(result.retryAfterMs, limits.webhook_retry_after_ms);
      await settleWantedStatus(tx, seen, gap === undefined ? null : now + Math.max(gap, asked));
      await showCommitStatus(tx, build.buildId, { error });
      if (gap !== undefined) return;
      const summary = failureCause('commit_status_failed', { state: seen.wanted, reason: error.text });
      const failure = {
        reasonCode: 'commit_status_failed',
        fault: result.retry ? 'unknown' : 'customer',
        summary: summary.text,
        messages: { summary },
      } as const;
      await insertBuildError(tx, { ...build, failure, now });
    });

  const note = async (tx: Transaction, wanted: CommitState, build: ToldBuild) => {
    if (codeHost === null || statusRepository(build, codeHosts) === null) return;
    const { buildId, accountId } = build;
    if (!(await secrets.has(tx, accountId, codeHost.secretNames))) return;
    await putWantedStatus(tx, { buildId, accountId, wanted, now: clock.now() });
    tx.onCommit(() => wake.wake('commit-statuses'));
  };

  return {
    /** Records the commit state that an event leads to, in the transaction that fans out the event. */
    async want(
      tx: Transaction,
      event: { eventType: BuildEventType; accountId: number },
      build: ToldBuild,
    ): Promise<void> {
      const wanted = commitStateAfter(event.eventType, build);
      if (wanted !== null) await note(tx, wanted, build);
    },

    /** Records a pending status for a running build whose commit has just become known. */
    async commitKnown(tx: Transaction, build: ToldBuild): Promise<void> {
      if (statusCommit({ ...build, commitSha: null }) === null) await note(tx, 'pending', build);
    },

    nextDueAt: (now: number) => nextStatusDueAt(store, now),

    claim(limit: number, skip: ReadonlySet<string>): Promise<WantedStatus[]> {
      return store.transaction((tx) => {
        const now = clock.now();
        return claimWantedStatuses(tx, { now, until: now + limits.webhook_claim_ms, limit, skip });
      });
    },

    /** Makes one attempt. A build that ended before `pending` was posted gets `pending` first, then its final state. */
    async attempt(seen: WantedStatus): Promise<void> {
      const build = await findBuildOfAnyAccount(store, seen.buildId);
      const token = await tokenFor(seen.accountId);
      if (!build || token === null) {
        // The token was removed: there is nothing to post.
        await store.transaction((tx) => settleWantedStatus(tx, seen, null));
        return;
      }
      if (typeof token !== 'string') {
        const error = deliveryError('token_unreadable', { names: token.names.join(', ') });
        return failed(seen, build, { ok: false, error, retry: false, retryAfterMs: 0 });
      }
      const isFirst =
        build.commitState === null && commitErrorOf(build) === null && seen.tries === 0 && seen.wanted !== 'pending';
      for (const state of isFirst ? (['pending', seen.wanted] as const) : [seen.wanted]) {
        await store.durable();
        const result = await postState(deps, build, state, token);
        if (!result.ok) {
          return failed(seen, build, {
            ...result,
            error: withTexts(deliveryErrors, result.error, (text) => text.replaceAll(token, '***')),
          });
        }
        await store.transaction(async (tx) => {
          if (state === seen.wanted) await settleWantedStatus(tx, seen, null);
          await showCommitStatus(tx, build.buildId, { state, error: null });
        });
        wake.wake('build', build.buildId);
      }
    },
  };
}
