// Changes of Macs that failed, and when they are tried again.
import { backoffMs } from '../../../shared/backoff.js';
import type { Clock, Timer } from '../../../shared/clock.js';
import { isErrno } from '../../../shared/errno.js';
import type { Log } from '../../../shared/log.js';
import type { DesiredMac, MacRefusal } from '../../../shared/protocol/index.js';
import { NotInstalledError } from '../../driver/driver.js';
import { codeOfTool } from '../../driver/vm/host-block.js';
import { VmToolError } from '../../driver/vm/tool.js';
import type { DaemonLimits } from '../../limits.js';

export interface ChangeFailure {
  readonly desired: DesiredMac | undefined;
  /** The Mac still works as it was before the change. */
  readonly works: boolean;
  readonly error: string;
  readonly errorCode: string;
  readonly refused: MacRefusal | null;
  readonly attempt: number;
  retry: Timer | null;
}

/** @param deps.retry called when a retry is due */
export function createChangeFailures(deps: { retry: () => void; clock: Clock; limits: () => DaemonLimits; log: Log }) {
  const { clock, limits, log } = deps;
  const failures = new Map<string, ChangeFailure>();
  let closed = false;
  /** Forgets the failure, if there is one, and cancels its retry. Returns whether there was one. */
  const clear = (slotId: string) => {
    failures.get(slotId)?.retry?.cancel();
    return failures.delete(slotId);
  };

  return {
    /** Records a failed change and schedules the retry. A Mac that still works is not tried again once refused. */
    add(
      slotId: string,
      { action, desired, works }: { action: string; desired: DesiredMac | undefined; works: boolean },
      error: unknown,
    ) {
      const attempt = (failures.get(slotId)?.attempt ?? 0) + 1;
      const { retryBaseMs: baseMs, retryMaxMs: maxMs, changeAttempts } = limits();
      const message = (error instanceof Error ? error.message : String(error)).slice(0, 500);
      const permanent = error instanceof NotInstalledError;
      const refused: MacRefusal | null =
        desired && (permanent || attempt >= changeAttempts)
          ? { revision: desired.revision, code: permanent ? 'not_installed' : 'failed', message }
          : null;
      const wait_ms = baseMs + backoffMs(attempt, { baseMs, maxMs });
      log.error({ err: error, slot_id: slotId, action, attempt, wait_ms }, 'cannot change a Mac');
      const errorCode = failureCodeOf(error);
      const failure: ChangeFailure = {
        desired,
        works,
        errorCode,
        refused,
        attempt,
        error: message,
        retry: null,
      };
      failures.set(slotId, failure);
      if (closed || (refused && works)) return;
      failure.retry = clock.setTimeout(() => {
        failure.retry = null;
        deps.retry();
      }, wait_ms);
    },
    /**
     * True while the failed change to this desire must not be tried (again). Another desire clears the failure.
     *
     * @param works the Mac works now; one that was only refused a change may have been lost since
     */
    blocks(slotId: string, desired: DesiredMac | undefined, works: boolean) {
      const failure = failures.get(slotId);
      if (!failure) return false;
      if (JSON.stringify(failure.desired) === JSON.stringify(desired)) {
        return failure.retry !== null || (failure.refused !== null && failure.works && works);
      }
      clear(slotId);
      return false;
    },
    clear,
    entries: () => failures,
    /** Cancels all retries; later failures schedule none. */
    close() {
      closed = true;
      for (const failure of failures.values()) failure.retry?.cancel();
    },
  };
}

/** Errors that carry the error of the file system as their cause are followed this far. */
const DEEPEST = 5;

/** Protected, read-only, or not there at all, like the disk of the data folder that is not mounted or was unplugged. */
const NOT_WRITABLE = ['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR', 'ELOOP', 'EIO', 'ENXIO', 'ENODEV', 'ESTALE'];

/** A program that is not installed or not executable fails with the same codes as a folder. */
const isMissingProgram = (error: Error) =>
  'syscall' in error && typeof error.syscall === 'string' && error.syscall.startsWith('spawn');

/**
 * Returns what kind of error keeps a Mac from being made or changed, for people who do not read the error itself: a code of
 * `control-plane/macs/domain/mac-problem.ts`; `failed` when there is none.
 *
 * @example failureCodeOf(new VmToolError('image_not_found', '…')) // 'image_not_found'
 */
function failureCodeOf(error: unknown): string {
  let cause = error;
  for (let depth = 0; depth < DEEPEST && cause instanceof Error; depth++) {
    if (cause instanceof VmToolError && cause.code !== 'failed') return codeOfTool(cause.code);
    if (cause instanceof NotInstalledError) return 'not_installed';
    if (isErrno(cause, 'ENOSPC', 'EDQUOT')) return 'disk_full';
    if (isErrno(cause, ...NOT_WRITABLE) && !isMissingProgram(cause)) return 'not_writable';
    cause = cause.cause;
  }
  return 'failed';
}
