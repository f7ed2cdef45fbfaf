// The build spec that is sent to a host.
import type { BuildSource, BuildSpec } from '../../../shared/build.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Build, ScriptedBuild } from '../domain/build.js';
import { logWindowOf } from '../domain/log-budget.js';
import { type CodeHosts, repoAddress } from '../domain/source.js';
import { sourceKeyOf } from '../domain/source-key.js';

/** The description of an upload that a host needs. */
export interface UploadSource {
  readonly workspaceId: string;
  readonly project: string;
  readonly manifestSha256: string;
  readonly files: number;
  readonly totalBytes: number;
}

/**
 * A host of link version 2 would report a pause of this length with the time of the report. Its reports of output that
 * goes on come without that.
 */
const NEVER_MS = 2 ** 31 - 1;

/** @param upload null if the build has no upload */
export function buildSpecOf(
  build: ScriptedBuild,
  rental: { rentalId: string; slotId: string },
  upload: UploadSource | null,
  codeHosts: CodeHosts,
  limits: Limits,
): BuildSpec {
  return {
    build_id: build.buildId,
    attempt: build.attempt,
    account_id: build.accountId,
    rental_id: rental.rentalId,
    slot_id: rental.slotId,
    script: build.script,
    xcode: build.xcode,
    timeout_ms: build.timeoutMin * 60_000,
    clean_tree: build.cleanTree,
    source: sourceOf(build, upload, codeHosts),
    source_key: sourceKeyOf(build, upload),
    labels: { repo: build.repo ?? build.repoUrl, ref: build.ref, commit: build.commit, pr: build.pr },
    log: logWindowOf(build, limits),
    silence_ms: NEVER_MS,
    output_report_ms: limits.output_report_ms,
    kill_grace_ms: limits.kill_grace_ms,
    artifacts: { max_files: limits.artifact_files, max_bytes: limits.artifact_bytes },
  };
}

function sourceOf(build: Build, upload: UploadSource | null, codeHosts: CodeHosts): BuildSource {
  if (build.uploadId !== null) {
    if (!upload) throw new Error(`the upload of build ${build.buildId} is gone`);
    return {
      kind: 'upload',
      upload_id: build.uploadId,
      manifest_sha256: upload.manifestSha256,
      files: upload.files,
      total_bytes: upload.totalBytes,
    };
  }
  const url = build.repo === null ? (build.repoUrl ?? '') : repoAddress(build.repo, codeHosts);
  return { kind: 'git', url, ref: build.ref, commit: build.commit, pr: build.pr };
}
