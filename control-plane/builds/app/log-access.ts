// Whether an account can read the log of a build.
import { countOf } from '../../../shared/count.js';
import type { Scope } from '../../platform/domain/caller.js';
import { DAY_MS } from '../../platform/domain/durations.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Queries } from '../../platform/store/sql.js';
import type { Build, BuildStatus } from '../domain/build.js';
import { findLogState } from '../store/builds.js';

/** Returns the build's status. Throws build_not_found; log_deleted if the log was deleted because of its age. */
export async function readableLog(
  q: Queries,
  { scope, buildId }: { readonly scope: Scope; readonly buildId: string },
): Promise<BuildStatus> {
  const found = await findLogState(q, scope, buildId);
  if (found === null) throw new ApiError('build_not_found');
  const message = deletedLogMessage(found);
  if (message !== null) throw new ApiError('log_deleted', { message });
  return found.status;
}

/** @returns null if the build has its log */
export function deletedLogMessage({ endedAt, logDeletedAt }: Pick<Build, 'endedAt' | 'logDeletedAt'>): string | null {
  if (logDeletedAt === null) return null;
  const days = Math.floor((logDeletedAt - (endedAt ?? logDeletedAt)) / DAY_MS);
  return `The log was deleted ${countOf(days, 'day')} after the build ended.`;
}
