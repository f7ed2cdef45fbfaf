// A build is accepted: checked against what the account has, written with its first event in one transaction.
import { randomBytes } from 'node:crypto';
import type { Build } from '../domain/build.js';
import type { Caller } from '../domain/caller.js';
import { ApiError } from '../domain/error-catalog.js';
import type { RunningBuild } from '../domain/estimates.js';
import { newId } from '../domain/ids.js';
import type { Limits } from '../domain/limits.js';
import { keyIsAtLimit } from '../domain/placement.js';
import { type Place, placeAtEnd, placesOf, runningPerKey } from '../domain/places.js';
import { isActive, type Mac } from '../domain/rental.js';
import { type CodeHosts, checkCommit, checkRef, checkRepo, checkRepoUrl } from '../domain/source.js';
import { countQueued, readQueued, readRunning } from '../store/build-queue.js';
import { insertBuild, type NewBuild } from '../store/builds.js';
import { findRental, readMacs, readXcodeCatalog } from '../store/rentals.js';
import type { Store, Transaction } from '../store/sql.js';
import { type ChangeDeps, recordEvents, wakeOnCommit } from './build-changes.js';
import type { PlacedBuild } from './queue.js';

export interface SubmitRequest {
  readonly script: string;
  readonly upload_id?: string | undefined;
  readonly repo?: string | undefined;
  readonly repo_url?: string | undefined;
  readonly ref?: string | undefined;
  readonly commit?: string | undefined;
  readonly pr?: number | undefined;
  readonly xcode?: string | undefined;
  readonly rental_id?: string | undefined;
  readonly timeout_min?: number | undefined;
  readonly priority?: number | undefined;
  readonly clean_tree?: boolean | undefined;
  readonly queue_until_rental?: boolean | undefined;
  readonly notify_url?: string | undefined;
}

export interface Submitted extends PlacedBuild {
  /** The secret is shown this once. */
  readonly notify: { readonly url: string; readonly secret: string } | null;
}

export interface SubmissionDeps extends ChangeDeps {
  readonly store: Store;
  readonly limits: Limits;
  readonly codeHosts: CodeHosts;
  /** Says why webhooks may not be sent to an address, or null. */
  notifyUrlProblem(url: string): string | null;
  /** Encrypts for the database. */
  seal(plaintext: string, context: string): Buffer;
  /**
   * Binds a complete upload of the account to a build.
   *
   * @throws ApiError upload_not_found, upload_incomplete
   */
  claimUpload(
    tx: Transaction,
    upload: { accountId: number; workspaceId: string; uploadId: string; now: number },
  ): Promise<void>;
  /** Brings up to date whether an upload is complete; before the transaction that claims it. */
  settleUpload(upload: { accountId: number; uploadId: string }): Promise<void>;
}

/** How long a caller waits before it sends a build again that found the queue or its key full. */
const RETRY_AFTER_S = 30;

/** What the sealed signing secret of a build's notify_url belongs to. */
export const notifySecretContext = (buildId: string) => `notify:${buildId}`;

export function createBuildSubmission(deps: SubmissionDeps) {
  const { store, clock, limits, wake } = deps;

  /**
   * Accepts a build; it may be running on a Mac a millisecond later.
   *
   * @param record called in the transaction that writes the build
   * @throws ApiError see POST /builds
   */
  return async function submit(
    caller: Caller,
    request: SubmitRequest,
    record: (tx: Transaction, submitted: Submitted) => Promise<void>,
  ): Promise<Submitted> {
    const source = sourceOf(request, deps.codeHosts);
    const buildId = newId('rb');
    const notify = notifyOf(request.notify_url, deps);
    const accountId = caller.account.id;
    const { workspaceId } = caller;
    const { uploadId } = source;
    if (uploadId !== null) await deps.settleUpload({ accountId, uploadId });

    return store.transaction(async (tx) => {
      const now = clock.now();
      const [macs, running, ahead] = await Promise.all([
        readMacs(tx, accountId),
        readRunning(tx, accountId),
        countQueued(tx, accountId),
      ]);
      await checkXcode(tx, request, await usableMacs(tx, accountId, request, macs));
      checkRoom(caller, running, ahead, limits);
      if (uploadId !== null) await deps.claimUpload(tx, { accountId, workspaceId, uploadId, now });
      const row: NewBuild = {
        ...source,
        buildId,
        accountId,
        workspaceId,
        keyId: caller.key?.id ?? null,
        script: request.script,
        pr: request.pr ?? null,
        xcode: request.xcode ?? null,
        pinnedRentalId: request.rental_id ?? null,
        timeoutMin: request.timeout_min ?? limits.build_timeout_min_default,
        priority: request.priority ?? 0,
        cleanTree: request.clean_tree ?? false,
        queueUntilRental: request.queue_until_rental ?? false,
        notifyUrl: notify?.url ?? null,
        notifySecret: notify && deps.seal(notify.secret, notifySecretContext(buildId)),
        now,
      };
      const build = await insertBuild(tx, row);
      const place = await placeOf(tx, build, { macs, running, ahead }, now, limits);
      const { waitReason } = place;
      await recordEvents(tx, deps, build, 1, ['build.queued'], { waitReason });
      wakeOnCommit(tx, wake, build);
      const submitted = { build, place, notify };
      await record(tx, submitted);
      return submitted;
    });
  };
}

/** Where the newest build of the account stands. A long queue is not read to know that. */
async function placeOf(
  tx: Transaction,
  build: Build,
  { ahead, ...state }: { macs: readonly Mac[]; running: readonly RunningBuild[]; ahead: number },
  now: number,
  limits: Limits,
): Promise<Place> {
  const newest = { ...build, timeoutMs: build.timeoutMin * 60_000 };
  const atEnd = placeAtEnd(newest, ahead, state, limits);
  if (ahead >= limits.estimated_builds && build.priority === 0) return atEnd;
  const queued = await readQueued(tx, build.accountId);
  return placesOf({ ...state, queued }, now, limits).get(build.buildId) ?? atEnd;
}

type Source = Pick<NewBuild, 'uploadId' | 'repo' | 'repoUrl' | 'ref' | 'commit'>;

function sourceOf(request: SubmitRequest, hosts: CodeHosts): Source {
  const { upload_id, repo, repo_url, ref, commit } = request;
  if ([upload_id, repo, repo_url].filter((source) => source !== undefined).length !== 1) {
    throw new ApiError('one_source_only');
  }
  return {
    uploadId: upload_id ?? null,
    repo: repo === undefined ? null : checkRepo(repo),
    repoUrl: repo_url === undefined ? null : checkRepoUrl(repo_url, hosts),
    ref: ref === undefined ? null : checkRef(ref),
    commit: commit === undefined ? null : checkCommit(commit),
  };
}

function notifyOf(url: string | undefined, deps: SubmissionDeps): Submitted['notify'] {
  if (url === undefined) return null;
  const problem = deps.notifyUrlProblem(url);
  if (problem !== null) {
    const fields = [{ path: 'notify_url', message: problem }];
    throw new ApiError('invalid_webhook', { message: `notify_url: ${problem}`, detail: { fields } });
  }
  return { url, secret: `whsec_${randomBytes(32).toString('base64url')}` };
}

/** The Macs that the build may be meant for; throws when it would wait for nothing. */
async function usableMacs(
  tx: Transaction,
  accountId: number,
  request: SubmitRequest,
  macs: readonly Mac[],
): Promise<readonly Mac[]> {
  const { rental_id: rentalId, queue_until_rental: mayWait = false } = request;
  if (rentalId === undefined) {
    const active = macs.filter(isActive);
    if (active.length === 0 && !mayWait) throw new ApiError('no_active_rental');
    return active;
  }
  const pinned = macs.find((mac) => mac.rentalId === rentalId);
  if (!pinned) {
    const ended = await findRental(tx, accountId, rentalId);
    throw new ApiError(ended ? 'rental_not_active' : 'rental_not_found');
  }
  if (!isActive(pinned) && !mayWait) throw new ApiError('rental_not_active');
  return [pinned];
}

async function checkXcode(tx: Transaction, request: SubmitRequest, macs: readonly Mac[]): Promise<void> {
  const { xcode } = request;
  if (xcode === undefined || macs.some((mac) => mac.xcodeVersions.includes(xcode))) return;
  if (!(await readXcodeCatalog(tx)).has(xcode)) throw new ApiError('invalid_xcode');
  // A Mac that is still to be rented may have it; a pinned one never will.
  if (request.queue_until_rental && request.rental_id === undefined) return;
  const options = [...new Set(macs.flatMap((mac) => mac.xcodeVersions))];
  throw new ApiError('xcode_not_available', { detail: { options } });
}

function checkRoom(caller: Caller, running: readonly RunningBuild[], queued: number, limits: Limits): void {
  if (keyIsAtLimit(caller.key?.id ?? null, runningPerKey(running), limits)) {
    throw new ApiError('too_many_concurrent_builds', { retryAfterS: RETRY_AFTER_S });
  }
  if (queued >= limits.queued_builds) throw new ApiError('queue_full', { retryAfterS: RETRY_AFTER_S });
}
