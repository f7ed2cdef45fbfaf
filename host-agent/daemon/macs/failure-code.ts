// What kind of error keeps a Mac from being made or changed, for people who do not read the error itself.
import { isErrno } from '../../../shared/errno.js';
import { NotInstalledError } from '../../driver/driver.js';
import { codeOfTool } from '../../driver/vm/host-block.js';
import { VmToolError } from '../../driver/vm/tool.js';

/** Errors that carry the error of the file system as their cause are followed this far. */
const DEEPEST = 5;

/**
 * Returns a code of `control-plane/macs/domain/mac-problem.ts`; `failed` when there is none.
 *
 * @example failureCodeOf(new VmToolError('image_not_found', '…')) // 'image_not_found'
 */
export function failureCodeOf(error: unknown): string {
  let cause = error;
  for (let depth = 0; depth < DEEPEST && cause instanceof Error; depth++) {
    if (cause instanceof VmToolError && cause.code !== 'failed') return codeOfTool(cause.code);
    if (cause instanceof NotInstalledError) return 'not_installed';
    if (isErrno(cause, 'ENOSPC', 'EDQUOT')) return 'disk_full';
    if (isErrno(cause, 'EACCES', 'EPERM', 'EROFS')) return 'not_writable';
    cause = cause.cause;
  }
  return 'failed';
}
