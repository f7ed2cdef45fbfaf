import { createHash } from 'node:crypto';
import type { BuildResult } from '../../shared/build.js';

/**
 * Returns the result of a build whose script exits with code 0.
 *
 * @param log what the build has written. Default: nothing
 * @example plainResult({ exit_code: 65 }).outcome // 'exited'
 */
export const plainResult = (changes: Partial<BuildResult> = {}, log: Buffer = Buffer.alloc(0)): BuildResult => ({
  outcome: 'exited',
  exit_code: 0,
  stop_reason: null,
  step: 'script',
  reason_code: null,
  fault: null,
  summary: null,
  script_started_at: null,
  ended_at: 0,
  artifacts: [],
  warnings: [],
  log: {
    bytes: log.length,
    sha256: createHash('sha256').update(log).digest('hex'),
    omitted_bytes: 0,
    possibly_truncated: false,
  },
  ...changes,
});
