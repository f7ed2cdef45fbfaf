// A build's artifacts, for `cidermill artifacts` and at the end of `cidermill build`.
import { accessSync, constants, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isThere } from '../artifacts/kept-files.js';
import { saveArtifacts } from '../artifacts/save.js';
import type { WorkspaceFile } from '../types.js';
import type { Session } from './session.js';
import { printable } from './terminal.js';
import { UsageError } from './usage-error.js';

/**
 * Returns the absolute path of a folder to save artifacts in, which need not exist.
 *
 * @throws UsageError if the folder cannot be used; the command fails before the build instead of after it
 */
export function targetFolder({ context }: Pick<Session, 'context'>, folder: string, option: string): string {
  if (folder.trim() === '') throw new UsageError(`${option} must name a folder (got an empty one)`);
  const path = resolve(context.cwd(), folder);
  let existing = path;
  while (!isThere(existing)) existing = dirname(existing);
  if (!statSync(existing, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UsageError(`${option}: ${existing} is not a folder`);
  }
  accessSync(existing, constants.W_OK | constants.X_OK);
  return path;
}

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
    note(`${style.err.yellow('warning:')} ${printable(artifact.path ?? artifact.name)} ${what}: ${printable(reason)}`);
  return saveArtifacts(client, buildId, artifacts, {
    folder: resolve(context.cwd(), folder),
    cwd: context.cwd(),
    env: context.env,
    source,
    onRefused: warn('was not saved'),
    onPacked: warn('was not unpacked'),
  });
}
