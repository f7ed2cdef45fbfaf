import type { Limits } from '../../platform/domain/limits.js';
import { periodWithin, type Worker } from '../../platform/workers/worker.js';
import type { Artifacts } from '../app/artifacts.js';

/** Removes artifacts whose time after their build's end is over. */
export function createArtifactRetention(deps: {
  artifacts: Pick<Artifacts, 'expire'>;
  limits: Limits;
}): Worker {
  return {
    name: 'artifact-retention',
    periodMs: periodWithin(deps.limits.artifact_kept_ms),
    wakeOn: [],
    async run() {
      await deps.artifacts.expire();
      return null;
    },
  };
}
