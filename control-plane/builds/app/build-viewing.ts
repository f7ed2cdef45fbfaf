// Reads one build for a person who may belong to several organizations.

import { workspaceMembership } from '../../access/app/memberships.js';
import { roleLevels } from '../../access/domain/session.js';
import { type Caller, type Scope, scopeOf } from '../../platform/domain/caller.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { SignedIn } from '../../platform/domain/person.js';
import type { Store } from '../../platform/store/sql.js';
import { findAnyBuild } from '../store/builds.js';
import type { BuildLogLines, NumberedLine } from './build-log-lines.js';
import type { Builds } from './builds.js';
import type { FailureReport, FailureReports } from './failure-reports.js';
import type { PlacedBuild } from './queue.js';

export interface ViewedBuild {
  /** The person as a caller in the build's organization. */
  readonly caller: Caller;
  readonly placed: PlacedBuild;
  readonly report: FailureReport;
  /** The last lines of the log. */
  readonly tail: readonly NumberedLine[];
}

export interface BuildViewing {
  /**
   * The person as a caller in the build's organization.
   *
   * @throws ApiError build_not_found, also for a build of an organization that the person does not belong to;
   *   organization_suspended
   */
  caller(person: SignedIn, buildId: string, ip: string): Promise<Caller>;
  /** Throws as `caller` does. */
  view(person: SignedIn, buildId: string, ip: string): Promise<ViewedBuild>;
}

export function createBuildViewing(deps: {
  store: Store;
  limits: Pick<Limits, 'build_page_lines'>;
  builds: Pick<Builds, 'get'>;
  failureReports: FailureReports;
  logLines: Pick<BuildLogLines, 'page'>;
}): BuildViewing {
  const { store, limits, builds, failureReports, logLines } = deps;

  const callerOf: BuildViewing['caller'] = async (person, buildId, ip) => {
    const build = await findAnyBuild(store, buildId);
    const membership = build && (await workspaceMembership(store, person.userId, build.workspaceId));
    if (!build || !membership || membership.account.status === 'closed') {
      throw new ApiError('build_not_found');
    }
    const { account, role } = membership;
    if (account.status === 'suspended') throw new ApiError('organization_suspended');
    return {
      account,
      workspaceId: build.workspaceId,
      workspaceIds: [build.workspaceId],
      key: null,
      person: { userId: person.userId, email: person.email, role },
      levels: roleLevels(role),
      ip,
    };
  };

  const tailOf = async (scope: Scope, buildId: string, totalLines: number) => {
    if (totalLines === 0) return [];
    const lines = limits.build_page_lines;
    const fromLine = Math.max(1, totalLines - lines + 1);
    return (await logLines.page({ scope, buildId, fromLine, lines })).lines;
  };

  return {
    caller: callerOf,
    async view(person, buildId, ip) {
      const caller = await callerOf(person, buildId, ip);
      const scope = scopeOf(caller);
      const [placed, report] = await Promise.all([
        builds.get(scope, buildId),
        failureReports.read(scope, buildId),
      ]);
      return { caller, placed, report, tail: await tailOf(scope, buildId, report.totalLines) };
    },
  };
}
