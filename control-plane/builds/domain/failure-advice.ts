// Advice for a build in any state: one sentence, and requests that can be sent as they are.
import { adviceOf, nextStep } from '../../../shared/messages/failure-advice.js';
import type { Message } from '../../../shared/messages/message.js';
import { API_ROOT } from '../../platform/domain/addresses.js';
import type { NextRequest } from '../../platform/domain/errors/row.js';
import { type Build, hasEnded } from './build.js';
import { sourceUnreachable } from './failure-reasons.js';

type Ended = Pick<Build, 'buildId' | 'status' | 'endReason' | 'failure'>;

/** @example failureAdvice(build).text // 'Change the code or the script, then build again.' */
export function failureAdvice({ status, endReason, failure }: Ended): Message {
  const reason = endReason ?? 'unknown';
  if (!hasEnded(status)) return nextStep('wait_for_end');
  if (status === 'succeeded') return nextStep('succeeded');
  if (status === 'cancelled') return nextStep('cancelled', { reason });
  if (status === 'expired') return nextStep('never_started', { reason });
  if (isUnreachableSource(failure)) return adviceOf(sourceUnreachable);
  if (failure?.fault === 'platform') return nextStep('service_at_fault');
  if (failure?.fault === 'customer') return nextStep('change_code');
  return nextStep('cause_unknown');
}

const isUnreachableSource = (failure: Build['failure']) =>
  failure?.reasonCode === 'network_error' && failure.step === 'source';

/** Lines of the log around a failure, beyond those in the report. */
const AROUND = { before: 100, lines: 300 };

export function failureNext({ buildId, status, failure }: Ended): NextRequest[] {
  const build = `${API_ROOT}/builds/${encodeURIComponent(buildId)}`;
  if (!hasEnded(status)) return [{ action: 'wait_for_end', method: 'GET', path: `${build}/wait` }];
  if (status === 'expired') return [{ action: 'show_status', method: 'GET', path: `${API_ROOT}/status` }];
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
