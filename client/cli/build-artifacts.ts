// A build's artifacts, for `cidermill artifacts` and at the end of `cidermill build`.
import type { WorkspaceFile } from '../types.js';
import { saveArtifacts } from './save-artifacts.js';
import type { Session } from './session.js';
import { printable } from './terminal.js';

/** All artifacts of a build. */
export async function listArtifacts({ client }: Session, buildId: string): Promise<WorkspaceFile[]> {
  const artifacts: WorkspaceFile[] = [];
  for await (const artifact of client.files.artifactsOf(buildId)) artifacts.push(artifact);
  return artifacts;
}

/** Downloads artifacts and warns of those whose names are refused. */
export function downloadArtifacts(
  { client, note, style }: Session,
  buildId: string,
  artifacts: readonly WorkspaceFile[],
  folder: string,
) {
  return saveArtifacts(client, buildId, artifacts, folder, (artifact, reason) => {
    note(
      `${style.err.yellow('warning:')} ${printable(artifact.path ?? artifact.name)} was not saved: ${reason}`,
    );
  });
}
