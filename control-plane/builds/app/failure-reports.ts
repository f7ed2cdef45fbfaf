// Builds the failure report: the whole diagnosis of one build in bounded size.
import type { Core } from '../../platform/app/core.js';
import type { Scope } from '../../platform/domain/caller.js';
import type { Build } from '../domain/build.js';
import { artifactFile, type WorkspaceFile } from '../domain/file.js';
import { listArtifacts } from '../store/artifacts.js';
import type { BuildLogLines, NumberedLine } from './build-log-lines.js';
import type { Builds } from './builds.js';

export interface FailureReport {
  readonly build: Build;
  /** The lines that show the cause, with context. */
  readonly lines: readonly NumberedLine[];
  /** The log's last lines, without those already in `lines`. */
  readonly tail: readonly NumberedLine[];
  readonly totalLines: number;
  readonly artifacts: readonly WorkspaceFile[];
  /** True if there are more artifacts than these. */
  readonly moreArtifacts: boolean;
}

export interface FailureReportDeps extends Pick<Core, 'store' | 'clock' | 'limits'> {
  readonly builds: Pick<Builds, 'find'>;
  readonly logLines: Pick<BuildLogLines, 'page'>;
}

export type FailureReports = ReturnType<typeof createFailureReports>;

export function createFailureReports({ store, clock, limits, builds, logLines }: FailureReportDeps) {
  const artifactsOf = async (build: Build) => {
    const page = { after: null, limit: limits.failure_artifacts + 1 };
    const found = await listArtifacts(store, build, page, clock.now() - limits.artifact_kept_ms);
    return found.map((one) => artifactFile(one, limits.artifact_kept_ms));
  };

  return {
    /** Returns the report of a build in any state. Throws build_not_found. */
    async read(scope: Scope, buildId: string): Promise<FailureReport> {
      const build = await builds.find(scope, buildId);
      const [first, last] = build.failure?.logExcerptLines ?? [1, 0];
      const fromLine = Math.max(1, first - limits.failure_context_lines);
      const wanted =
        last < first ? 1 : Math.min(limits.failure_lines, last + limits.failure_context_lines - fromLine + 1);
      const [cause, found] = await Promise.all([
        build.logDeletedAt === null
          ? logLines.page({ scope, buildId, fromLine, lines: wanted })
          : { lines: [], totalLines: 0 },
        artifactsOf(build),
      ]);
      const lines = last < first ? [] : cause.lines;
      const { totalLines } = cause;
      const tailFrom = Math.max(1, totalLines - limits.failure_tail_lines + 1, (lines.at(-1)?.n ?? 0) + 1);
      const tail =
        tailFrom > totalLines
          ? []
          : (
              await logLines.page({
                scope,
                buildId,
                fromLine: tailFrom,
                lines: limits.failure_tail_lines,
              })
            ).lines;
      return {
        build,
        lines,
        tail,
        totalLines,
        artifacts: found.slice(0, limits.failure_artifacts),
        moreArtifacts: found.length > limits.failure_artifacts,
      };
    },
  };
}
