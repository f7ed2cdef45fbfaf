// Advice for a build in any state: one sentence, and requests that can be sent as they are.
import { API_PATH } from '../../platform/domain/addresses.js';
import type { NextRequest } from '../../platform/domain/errors/row.js';
import { type Build, hasEnded } from './build.js';
import { sourceUnreachable } from './failure-reasons.js';

type Ended = Pick<Build, 'buildId' | 'status' | 'endReason' | 'failure'>;

/** @example failureAdvice(build) // 'Change the code or the script, then build again.' */
export function failureAdvice({ status, endReason, failure }: Ended): string {
  if (!hasEnded(status)) return 'The build has not ended: wait for its end.';
  if (status === 'succeeded') return 'The build succeeded.';
  if (status === 'cancelled')
    return `The build was cancelled (${endReason}). Build again if it is still wanted.`;
  if (status === 'expired')
    return `The build never started (${endReason}). Check the Macs and the queue, then build again.`;
  if (isUnreachableSource(failure)) return sourceUnreachable;
  if (failure?.fault === 'platform') return 'The service is at fault: build again unchanged.';
  if (failure?.fault === 'customer') return 'Change the code or the script, then build again.';
  return 'The cause is not known for certain: read the end of the log. If it names none, build again once.';
}

const isUnreachableSource = (failure: Build['failure']) =>
  failure?.reasonCode === 'network_error' && failure.step === 'source';

/** Lines of the log around a failure, beyond those in the report. */
const AROUND = { before: 100, lines: 300 };

export function failureNext({ buildId, status, failure }: Ended): NextRequest[] {
  const build = `${API_PATH}/builds/${encodeURIComponent(buildId)}`;
  if (!hasEnded(status)) return [{ action: 'wait_for_end', method: 'GET', path: `${build}/wait` }];
  if (status === 'expired') return [{ action: 'show_status', method: 'GET', path: `${API_PATH}/status` }];
  const again: NextRequest = { action: 'build_again', method: 'POST', path: `${build}/rerun` };
  const upload: NextRequest = { action: 'read_how_to_upload', method: 'GET', path: '/agent-start.md' };
  const retry = isUnreachableSource(failure) ? [again, upload] : failure?.fault === 'platform' ? [again] : [];
  const first = failure?.logExcerptLines?.[0];
  const log = `${build}/log`;
  if (first === undefined) return [...retry, { action: 'read_log', method: 'GET', path: `${log}?tail=100` }];
  const from = Math.max(1, first - AROUND.before);
  return [
    ...retry,
    {
      action: 'read_log',
      method: 'GET',
      path: `${log}?from_line=${from}&lines=${AROUND.lines}&ansi=strip`,
    },
  ];
}
