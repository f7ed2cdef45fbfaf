// Accepts a build: validates it against the account's Macs, uploads and limits, and writes it with its first event in
// one transaction.

import { firstCharacters } from '../../../shared/first-characters.js';
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import type { Message } from '../../../shared/messages/message.js';
import { requireLiveWorkspace } from '../../access/app/workspaces.js';
import { hasLabels, type Labels, labelsText } from '../../hosts/domain/host-labels.js';
import { findMacOf, macsOf, xcodeCatalog } from '../../macs/app/macs.js';
import { isActive, type Mac } from '../../macs/domain/mac.js';
import { xcodeMessage } from '../../macs/domain/xcode-message.js';
import type { Core } from '../../platform/app/core.js';
import type { InTransaction } from '../../platform/app/in-transaction.js';
import type { Step } from '../../platform/app/turns.js';
import type { Caller } from '../../platform/domain/caller.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { fieldError } from '../../platform/domain/field-error.js';
import { newId } from '../../platform/domain/ids.js';
import type { Limits } from '../../platform/domain/limits.js';
import { newSigningSecret } from '../../platform/domain/webhook-signature.js';
import { RECEIVER_RULES } from '../../platform/outbound/public-url.js';
import type { Transaction } from '../../platform/store/sql.js';
import { type Build, EXCERPT_CHARS, type ScriptedBuild } from '../domain/build.js';
import type { RunningBuild } from '../domain/estimates.js';
import { keyIsAtLimit, readinessOf } from '../domain/placement.js';
import { estimateNeedsQueue, type Place, placeOfNewest, runningPerKey } from '../domain/places.js';
import { priorityClass, type QueuedBuild, queueClassOf } from '../domain/queue.js';
import { type CodeHosts, checkCommit, checkRef, checkRepo, checkRepoUrl } from '../domain/source.js';
import { historyKeyOf, sourceKeyOf } from '../domain/source-key.js';
import { readHistory } from '../store/build-history.js';
import { countQueued, countUrgent, readQueued, readRunning } from '../store/build-queue.js';
import { builds, type NewBuild } from '../store/builds.js';
import { keepScript } from '../store/scripts.js';
import { type ChangeDeps, recordEvents, wakeOnCommit } from './build-changes.js';
import { notifySecretContext } from './notify-secrets.js';
import { namesOf, type PlacedBuild } from './queue.js';

/** A build request; null fields were not given. */
export interface SubmitRequest {
  readonly script: string;
  readonly uploadId: string | null;
  readonly repo: string | null;
  readonly repoUrl: string | null;
  readonly ref: string | null;
  readonly commit: string | null;
  readonly pr: number | null;
  readonly xcode: string | null;
  /** Only on Macs of hosts with all of these. */
  readonly labels: Labels;
  /** The Mac that the build is pinned to. */
  readonly rentalId: string | null;
  readonly timeoutMin: number | null;
  readonly priority: number | null;
  readonly cleanTree: boolean;
  /** The build may wait even if the account has no Mac yet. */
  readonly queueUntilRental: boolean;
  readonly notifyUrl: string | null;
  /** The build that it repeats. */
  readonly rerunOf: string | null;
}

export interface Submitted extends PlacedBuild<ScriptedBuild> {
  /** The secret is returned only here. */
  readonly notify: { readonly url: string; readonly secret: string } | null;
}

export interface SubmissionDeps extends ChangeDeps, Pick<Core, 'store' | 'limits'> {
  readonly codeHosts: CodeHosts;
  /** Returns why webhooks may not be sent to an address, or null. Resolves the host name. */
  notifyUrlProblem(url: string): Promise<Message | null>;
  /** Encrypts a value for the database. */
  seal(plaintext: string, context: string): Buffer;
  /**
   * Claims a complete upload of the account for a build and returns its project.
   *
   * @throws ApiError upload_not_found, upload_incomplete
   */
  claimUpload(
    tx: Transaction,
    upload: { accountId: number; workspaceId: string; uploadId: string; now: number },
  ): Promise<{ workspaceId: string; project: string }>;
  /** Updates whether an upload is complete. Called before the transaction that claims it. */
  settleUpload(upload: { accountId: number; uploadId: string }, step?: Step): Promise<void>;
}

/** Retry delay for a build refused because the queue or the key was at its limit. */
const RETRY_AFTER_S = 30;

export type BuildSubmission = ReturnType<typeof createBuildSubmission>;

export function createBuildSubmission(deps: SubmissionDeps) {
  const { store, clock, limits, wake } = deps;

  /**
   * Accepts a build, which may start on a Mac at once.
   *
   * @param record called in the transaction that writes the build
   * @throws ApiError see POST /builds
   */
  return async function submit(
    caller: Caller,
    request: SubmitRequest,
    record: InTransaction<Submitted>,
    step?: Step,
  ): Promise<Submitted> {
    const source = sourceOf(request, deps.codeHosts, limits);
    const buildId = newId('rb');
    const notify = await notifyOf(request.notifyUrl, deps);
    const accountId = caller.account.id;
    const { workspaceId } = caller;
    const { uploadId } = source;
    if (uploadId !== null) await deps.settleUpload({ accountId, uploadId }, step);

    return store.transaction(async (tx) => {
      await requireLiveWorkspace(tx, caller);
      const now = clock.now();
      const [macs, running, ahead] = await Promise.all([
        macsOf(tx, accountId),
        readRunning(tx, accountId),
        countQueued(tx, accountId),
      ]);
      const usable = await usableMacs(tx, accountId, request, macs);
      checkLabels(request, usable);
      await checkXcode(tx, request, usable);
      checkRoom(caller, running, ahead, limits);
      const upload = uploadId === null ? null : await deps.claimUpload(tx, { accountId, workspaceId, uploadId, now });
      const historyKey = historyKeyOf(sourceKeyOf(source, upload), request.script);
      const keyId = caller.key?.id ?? null;
      const row: NewBuild = {
        buildId,
        accountId,
        workspaceId,
        keyId,
        queueClass: queueClassOf({
          keyId,
          pinnedRentalId: request.rentalId,
          xcode: request.xcode,
          labels: request.labels,
        }),
        scriptId: await keepScript(tx, accountId, request.script),
        scriptExcerpt: firstCharacters(request.script, EXCERPT_CHARS),
        scriptBytes: Buffer.byteLength(request.script),
        uploadId,
        project: upload?.project ?? null,
        repo: source.repo,
        repoUrl: source.repoUrl,
        ref: source.ref,
        commit: source.commit,
        pr: request.pr,
        xcode: request.xcode,
        labels: request.labels,
        pinnedRentalId: request.rentalId,
        timeoutMin: request.timeoutMin ?? limits.build_timeout_min_default,
        priority: request.priority ?? 0,
        cleanTree: request.cleanTree,
        queueUntilRental: request.queueUntilRental,
        notifyUrl: notify?.url ?? null,
        notifySecret: notify && deps.seal(notify.secret, notifySecretContext(buildId)),
        rerunOf: request.rerunOf,
        historyKey,
        createdAt: now,
      };
      // No spread, because copying so many fields is slow.
      const build = Object.assign(await builds.insert(tx, row), { script: request.script, historyKey });
      const place = await placeOf(tx, build, { macs, running, ahead }, now, limits);
      const { waitReason } = place;
      await recordEvents(tx, deps, build, 1, ['build.queued'], { waitReason });
      // Without a free Mac nothing can start; the transaction that frees one wakes the scheduler.
      wakeOnCommit(
        tx,
        wake,
        build,
        macs.some((mac) => readinessOf(mac) === 'free'),
      );
      const submitted = { build, place, macNames: namesOf(macs), notify };
      await record(tx, submitted);
      return submitted;
    });
  };
}

/**
 * Returns the place of the account's newest build: behind all others, or with priority 1 behind the other builds of
 * that class. Reads the whole queue only if a start can be estimated from it.
 */
async function placeOf(
  tx: Transaction,
  newest: QueuedBuild & Pick<Build, 'accountId'>,
  { ahead, ...state }: { macs: readonly Mac[]; running: readonly RunningBuild[]; ahead: number },
  now: number,
  limits: Limits,
): Promise<Place> {
  const { accountId } = newest;
  const urgent = priorityClass(newest, now, limits) === 1;
  // The count includes the newest build.
  const turn = urgent ? (await countUrgent(tx, accountId, now - limits.priority_ageing_ms)) - 1 : ahead;
  const before = { created: ahead, turn };
  if (!estimateNeedsQueue(newest, before, state.macs, limits)) {
    return placeOfNewest(newest, before, { ...state, queued: [] }, now, limits);
  }
  const queued = ahead === 0 ? [newest] : await readQueued(tx, accountId);
  // The newest build's own duration does not affect its start.
  const others = [...state.running, ...queued.filter(({ buildId }) => buildId !== newest.buildId)];
  const keys = others.map((other) => other.historyKey);
  const history = await readHistory(tx, accountId, keys, limits.history_builds);
  return placeOfNewest(newest, before, { ...state, queued, history }, now, limits);
}

type Source = Pick<NewBuild, 'uploadId' | 'repo' | 'repoUrl' | 'ref' | 'commit'>;

function sourceOf(request: SubmitRequest, hosts: CodeHosts, limits: Limits): Source {
  const { uploadId, repo, repoUrl, ref, commit } = request;
  if ([uploadId, repo, repoUrl].filter((source) => source !== null).length !== 1) {
    throw new ApiError('one_source_only');
  }
  return {
    uploadId,
    repo: repo === null ? null : checkRepo(repo),
    repoUrl: repoUrl === null ? null : checkRepoUrl(repoUrl, hosts, limits),
    ref: ref === null ? null : checkRef(ref, limits),
    commit: commit === null ? null : checkCommit(commit),
  };
}

async function notifyOf(url: string | null, deps: SubmissionDeps): Promise<Submitted['notify']> {
  if (url === null) return null;
  const problem = await deps.notifyUrlProblem(url);
  if (problem !== null) {
    throw fieldError('invalid_webhook', 'notify_url', problem, {
      message: `notify_url: ${problem.text}. ${RECEIVER_RULES}`,
    });
  }
  return { url, secret: newSigningSecret() };
}

/** Returns the Macs that could run the build. Throws if none ever could. */
async function usableMacs(
  tx: Transaction,
  accountId: number,
  request: SubmitRequest,
  macs: readonly Mac[],
): Promise<readonly Mac[]> {
  const { rentalId, queueUntilRental: mayWait } = request;
  if (rentalId === null) {
    const active = macs.filter(isActive);
    if (active.length === 0 && !mayWait) throw new ApiError('no_active_rental');
    return active;
  }
  const pinned = macs.find((mac) => mac.rentalId === rentalId);
  if (!pinned) {
    const ended = await findMacOf(tx, accountId, rentalId);
    throw new ApiError(ended ? 'rental_not_active' : 'rental_not_found');
  }
  if (!isActive(pinned) && !mayWait) throw new ApiError('rental_not_active');
  return [pinned];
}

function checkLabels(request: SubmitRequest, macs: readonly Mac[]): void {
  const { labels, rentalId, queueUntilRental } = request;
  if (macs.some((mac) => hasLabels(mac.labels, labels))) return;
  const wanted = labelsText(labels);
  // A Mac that comes later may have them; the Mac that the build is pinned to will not.
  if (wanted === '' || (queueUntilRental && rentalId === null)) return;
  const each = macs.flatMap((mac) => Object.entries(mac.labels).map(([key, value]) => `${key}=${value}`));
  const options = [...new Set(each)].sort();
  const where = rentalId === null ? 'No Mac of the account has' : 'That Mac does not have';
  const there = options.length === 0 ? 'There are no labels' : `There are: ${options.join(', ')}`;
  const problem = fieldProblem('unknown_labels', { labels: wanted });
  const message = `${where} the labels ${wanted}. ${there}.`;
  throw fieldError('invalid_build', 'labels', problem, { message, detail: { options } });
}

async function checkXcode(tx: Transaction, request: SubmitRequest, macs: readonly Mac[]): Promise<void> {
  const { xcode } = request;
  if (xcode === null || macs.some((mac) => mac.xcodeVersions.includes(xcode))) return;
  if (!(await xcodeCatalog(tx)).has(xcode)) throw new ApiError('invalid_xcode');
  // A Mac rented later may have this Xcode; the Mac that the build is pinned to will not.
  if (request.queueUntilRental && request.rentalId === null) return;
  const options = [...new Set(macs.flatMap((mac) => mac.xcodeVersions))];
  const where = request.rentalId === null ? 'on any Mac of the account' : 'on that Mac';
  throw new ApiError('xcode_not_available', {
    message: xcodeMessage(xcode, options, where),
    detail: { options },
  });
}

function checkRoom(caller: Caller, running: readonly RunningBuild[], queued: number, limits: Limits): void {
  if (keyIsAtLimit(caller.key?.id ?? null, runningPerKey(running), limits)) {
    throw new ApiError('too_many_concurrent_builds', { retryAfterS: RETRY_AFTER_S });
  }
  if (queued >= limits.queued_builds) throw new ApiError('queue_full', { retryAfterS: RETRY_AFTER_S });
}
