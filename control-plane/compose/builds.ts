// Builds: submission, queue, runs on hosts, logs, artifacts and secrets.

import type { StorageQuota } from '../access/app/storage-quota.js';
import { createArtifacts } from '../builds/app/artifacts.js';
import { createBuildLog } from '../builds/app/build-log.js';
import { createBuildLogLines } from '../builds/app/build-log-lines.js';
import { createBuildRerun } from '../builds/app/build-rerun.js';
import { type BuildRunsDeps, createBuildRuns } from '../builds/app/build-runs.js';
import { createBuildSharing } from '../builds/app/build-sharing.js';
import { createBuildSubmission } from '../builds/app/build-submission.js';
import { createBuilds } from '../builds/app/builds.js';
import { createFailureReports } from '../builds/app/failure-reports.js';
import { createFailureScans } from '../builds/app/failure-scans.js';
import { createFiles } from '../builds/app/files.js';
import { createQueue } from '../builds/app/queue.js';
import type { RetentionDeps } from '../builds/app/retention.js';
import { createSecrets } from '../builds/app/secrets.js';
import { createBuildLogRoutes } from '../builds/http/api-build-log.js';
import { createBuildRoutes } from '../builds/http/api-builds.js';
import { createQueueRoutes } from '../builds/http/api-queue.js';
import { createSecretRoutes } from '../builds/http/api-secrets.js';
import { createArtifactRoutes } from '../builds/http/console-artifacts.js';
import { createFileRoutes } from '../builds/http/console-files.js';
import { createShareRoutes } from '../builds/http/console-share.js';
import { shiftOpenBuilds } from '../builds/store/open-spans.js';
import { buildWorkers, realTimeBuildWorkers } from '../builds/workers/table.js';
import { createKeyedLock } from '../platform/app/keyed-lock.js';
import type { Uploads } from '../uploads/app/uploads.js';
import { composeLogs, roomForLogs } from './logs.js';
import type { Platform } from './platform.js';

export type BuildsBelow = Pick<BuildRunsDeps, 'onCommitKnown'> &
  Pick<RetentionDeps, 'undelivered'> & { readonly uploads: Uploads; readonly quota: StorageQuota };

export function composeBuilds(platform: Platform, below: BuildsBelow) {
  const { uploads, quota, onCommitKnown, undelivered } = below;
  const { config, limits, vault } = platform;
  const { logs, endedLogs } = composeLogs(platform);
  const { codeHosts } = config;
  const diskRoom = endedLogs === null ? platform.diskRoom : roomForLogs(platform);
  const lock = createKeyedLock('build', platform.shared?.locks);
  const common = { ...platform, diskRoom, logs, codeHosts, lock, uploads };
  const secrets = createSecrets(platform);
  const artifacts = createArtifacts({ ...platform, quota });
  const files = createFiles({ ...platform, artifacts });
  const runs = createBuildRuns({
    ...common,
    scans: createFailureScans(logs, limits.failure_scans),
    secretsFor: secrets.reveal,
    uploadSource: uploads.find,
    onCommitKnown,
  });
  const submit = createBuildSubmission({
    ...common,
    notifyUrlProblem: platform.publicFetch.problem,
    seal: vault.sealBytes,
    settleUpload: uploads.settle,
    claimUpload: uploads.claim,
  });
  const rerun = createBuildRerun({ ...common, submit });
  const queue = createQueue(platform);
  const builds = createBuilds({ ...common, queue });
  const logLines = createBuildLogLines(common);
  const failureReports = createFailureReports({ ...common, builds, logLines });
  const sharing = createBuildSharing(platform);
  return {
    runs,
    builds,
    secrets,
    artifacts,
    files,
    sharing,
    /** Dependencies of operations that end a build from outside. */
    ends: common,
    shiftSpans: shiftOpenBuilds,
    apiRoutes: [
      ...createQueueRoutes({ ...common, queue }),
      ...createBuildRoutes({ ...common, builds, failureReports, submit, rerun }),
      ...createBuildLogRoutes({ buildLog: createBuildLog(common), logLines, limits }),
      ...createSecretRoutes({ secrets }),
    ],
    consoleRoutes: [
      ...createFileRoutes({ files, limits }),
      ...createArtifactRoutes({ files, limits, siteUrl: platform.siteUrl }),
      ...createShareRoutes({ sharing, files, limits, codeHosts, siteUrl: platform.siteUrl }),
    ],
    workers: buildWorkers({ ...common, artifacts, undelivered, endedLogs }),
    realTimeWorkers: realTimeBuildWorkers(common),
    close: logs.close,
  };
}
