// Submits a build again.

import type { InTransaction } from '../../platform/app/in-transaction.js';
import type { Step } from '../../platform/app/turns.js';
import { type Caller, scopeOf } from '../../platform/domain/caller.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Queries } from '../../platform/store/sql.js';
import type { ScriptedBuild } from '../domain/build.js';
import { findScriptedBuild } from '../store/builds.js';
import type { BuildSubmission, SubmitRequest, Submitted } from './build-submission.js';

export type BuildRerun = ReturnType<typeof createBuildRerun>;

export function createBuildRerun({ store, submit }: { store: Queries; submit: BuildSubmission }) {
  /**
   * Submits the same request as that of an earlier build, of the commit that it was built from, in its workspace.
   *
   * @throws ApiError build_not_found, upload_not_found if its sources have been deleted, and what a submission throws
   */
  return async function rerun(
    caller: Caller,
    buildId: string,
    record: InTransaction<Submitted>,
    step?: Step,
  ): Promise<Submitted> {
    const build = await findScriptedBuild(store, scopeOf(caller), buildId);
    if (!build) throw new ApiError('build_not_found');
    try {
      return await submit({ ...caller, workspaceId: build.workspaceId }, requestOf(build), record, step);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'upload_not_found') throw error;
      throw new ApiError('upload_not_found', {
        message: `The folder that ${buildId} was built from (${build.uploadId}) has been deleted. Upload it again: cidermill build.`,
      });
    }
  };
}

/** The commit is the one that was checked out, so that a branch that has moved on does not change what is built. */
function requestOf(build: ScriptedBuild): SubmitRequest {
  const { script, uploadId, repo, repoUrl, ref, pr, xcode, labels, timeoutMin, priority } = build;
  return {
    script,
    uploadId,
    repo,
    repoUrl,
    ref,
    pr,
    xcode,
    labels,
    timeoutMin,
    priority,
    commit: build.commitSha ?? build.commit,
    rentalId: build.pinnedRentalId,
    cleanTree: build.cleanTree,
    queueUntilRental: build.queueUntilRental,
    notifyUrl: build.notifyUrl,
    rerunOf: build.buildId,
  };
}
