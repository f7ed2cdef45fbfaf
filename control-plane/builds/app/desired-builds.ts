// The desired state of a build that is sent to its host.
import { failureCause } from '../../../shared/messages/failure-causes.js';
import type { BuildSecret, DesiredBuild } from '../../../shared/protocol/index.js';
import { findHost } from '../../hosts/app/hosts.js';
import { findMacOf } from '../../macs/app/macs.js';
import type { Build } from '../domain/build.js';
import { type Ending, platformEnding } from '../domain/failure.js';
import type { CodeHosts } from '../domain/source.js';
import { withScript } from '../store/builds.js';
import { type EndDeps, endRunning } from './build-end.js';
import { buildSpecOf, type UploadSource } from './build-spec.js';
import { SecretsUnreadableError } from './secrets.js';

export interface DesiredBuildDeps extends EndDeps {
  readonly codeHosts: CodeHosts;
  /** Throws SecretsUnreadableError. */
  secretsFor(accountId: number): Promise<BuildSecret[]>;
  uploadSource(uploadId: string): Promise<UploadSource | null>;
}

type Start = Pick<DesiredBuild, 'spec' | 'secrets'>;

/** The part that a host still needs after it has reported the attempt. */
const KEEP: Start = { spec: null, secrets: null };

/** Returns the desired state of a running build, or null after ending one that can never start. */
export async function desiredBuild(
  deps: DesiredBuildDeps,
  build: Build,
  failed: (buildId: string, error: unknown) => void,
): Promise<DesiredBuild | null> {
  const { buildId, attempt, stopReason } = build;
  const as = (start: Start): DesiredBuild => {
    const want = stopReason === null ? 'run' : 'stop';
    return { build_id: buildId, attempt, want, stop_reason: stopReason, ...start };
  };
  if (stopReason !== null || build.reported) return as(KEEP);
  // An error in one build must not keep the others from their host.
  try {
    const start = await startOf(deps, build);
    if ('spec' in start) return as(start);
    await endRunning(deps, build, start);
    return null;
  } catch (error) {
    failed(buildId, error);
    // If the host has the attempt, it keeps it; if not, its `absent` report is ignored.
    return as(KEEP);
  }
}

/** Returns an ending if the build can never start. */
async function startOf(deps: DesiredBuildDeps, build: Build): Promise<Start | Ending> {
  const { accountId, rentalId, uploadId } = build;
  const rental = rentalId === null ? null : await findMacOf(deps.store, accountId, rentalId);
  const upload = uploadId === null ? null : await deps.uploadSource(uploadId);
  if (!rental || (uploadId !== null && !upload)) {
    return platformEnding('source_unavailable', failureCause('sources_gone'), 0);
  }
  const spec = buildSpecOf(await withScript(deps.store, build), rental, upload, deps.codeHosts, deps.limits);
  try {
    const secrets = await deps.secretsFor(accountId);
    const files = secrets.filter(({ encoding }) => encoding !== undefined);
    if (files.length > 0 && !(await takesFiles(deps, build))) return tooOldEnding(files);
    return { spec, secrets };
  } catch (error) {
    if (error instanceof SecretsUnreadableError) return unreadableEnding(error.names);
    throw error;
  }
}

/** The version of the link since which a secret can be a file. */
const SECRET_FILES = 3;

async function takesFiles({ store }: DesiredBuildDeps, { hostId }: Build): Promise<boolean> {
  const host = hostId === null ? null : await findHost(store, hostId);
  return (host?.protocol ?? 0) >= SECRET_FILES;
}

function tooOldEnding(files: readonly BuildSecret[]): Ending {
  const named = files.map(({ name }) => name).slice(0, MOST_NAMES);
  const summary = failureCause('agent_too_old_for_files', { names: named.join(', ') });
  return platformEnding('internal_error', summary, 0);
}

/** Most names listed in a summary. */
const MOST_NAMES = 10;

function unreadableEnding(names: readonly string[]): Ending {
  const named = names.slice(0, MOST_NAMES).join(', ');
  const more = Math.max(0, names.length - MOST_NAMES);
  const summary = failureCause('secrets_unreadable', { names: named, count: names.length, more });
  return platformEnding('secret_unreadable', summary, 0);
}
