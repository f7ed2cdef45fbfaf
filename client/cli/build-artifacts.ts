// A build's artifacts, for `cidermill artifacts` and at the end of `cidermill build`.
import { resolve } from 'node:path';
import { saveArtifacts } from '../artifacts/save.js';
import type { WorkspaceFile } from '../types.js';
import type { Session } from './session.js';
import { printable } from './terminal.js';

/** All artifacts of a build. */
export async function listArtifacts({ client }: Session, buildId: string): Promise<WorkspaceFile[]> {
  const artifacts: WorkspaceFile[] = [];
  for await (const artifact of client.files.artifactsOf(buildId)) artifacts.push(artifact);
  return artifacts;
}

/**
 * Downloads artifacts and warns of those that are refused.
 *
 * @param source the folder that was built
 */
export function downloadArtifacts(
  { client, context, note, style }: Session,
  buildId: string,
  artifacts: readonly WorkspaceFile[],
  folder: string,
  source?: string,
) {
  const warn = (what: string) => (artifact: WorkspaceFile, reason: string) =>
    note(
      `${style.err.yellow('warning:')} ${printable(artifact.path ?? artifact.name)} ${what}: ${printable(reason)}`,
    );
  return saveArtifacts(client, buildId, artifacts, {
    folder: resolve(context.cwd(), folder),
    cwd: context.cwd(),
    env: context.env,
    source,
    onRefused: warn('was not saved'),
    onPacked: warn('was not unpacked'),
  });
}
