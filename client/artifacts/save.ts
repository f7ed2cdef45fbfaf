// Writes a build's artifacts below a folder.
import { randomBytes } from 'node:crypto';
import { closeSync, lstatSync, mkdirSync, openSync, realpathSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bundleNameOf } from '../../shared/archive/bundle.js';
import { foldPath } from '../../shared/paths/fold-path.js';
import { systemProblem } from '../../shared/system-problem.js';
import type { BuildClient } from '../build-client.js';
import { CidermillError, unreachable } from '../cidermill-error.js';
import type { WorkspaceFile } from '../types.js';
import { type ArtifactContents, createArtifactContents } from './contents.js';
import { isThere, type KeptFiles, keptFiles } from './kept-files.js';
import { planSaving, repositoryRefusal } from './paths.js';
import { isBundleArchive, unpackBundle } from './unpack-bundle.js';

const ATTEMPTS = 4;

export interface SavedArtifact extends WorkspaceFile {
  /** Absolute path, of a bundle the folder that it was unpacked to; null when it was refused. */
  saved_to: string | null;
}

export interface SaveOptions {
  /** Absolute path; made if need be. */
  folder: string;
  /** The working directory: its files are kept as those of a project. */
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** The folder that was built, if it is one of this machine. */
  source?: string | undefined;
  /** An artifact was not saved, or a bundle stays packed. */
  onRefused: (artifact: WorkspaceFile, reason: string) => void;
  onPacked?: (artifact: WorkspaceFile, reason: string) => void;
  signal?: AbortSignal | undefined;
}

/**
 * Downloads artifacts below a folder. Each appears whole or not at all; bundles are unpacked.
 *
 * Refused are names that could lead out of the folder or belong to version control, that pass through a symbolic link,
 * that equal another one on a file system that folds case, and files that saving must not replace (`keptFiles`).
 */
export async function saveArtifacts(
  client: BuildClient,
  buildId: string,
  artifacts: readonly WorkspaceFile[],
  options: SaveOptions,
): Promise<SavedArtifact[]> {
  const { cwd, env, source, onRefused, onPacked = () => {}, signal } = options;
  mkdirSync(options.folder, { recursive: true });
  const root = realpathSync(options.folder);
  const projects = [cwd, ...(source === undefined ? [] : [source])].map((path) => realpathSync(path));
  const kept = await keptFiles(root, projects, env);
  const paths = artifacts.map((artifact) => artifact.path ?? artifact.name);
  const plan = planSaving(paths);
  const target = createTarget(root, kept);
  const accepted = artifacts.filter((_, at) => plan[at]?.parts);
  const contents = createArtifactContents(client, buildId, accepted, signal);
  const saved: SavedArtifact[] = [];
  for (const [at, artifact] of artifacts.entries()) {
    const planned = plan[at];
    const parts = planned?.parts ?? null;
    const save = async (): Promise<string | { reason: string }> => {
      const reason = parts ? target.refusal(parts) : (planned?.reason ?? '');
      if (reason !== null || !parts) return { reason: reason ?? '' };
      const temporary = await download(contents, artifact, dirname(join(root, ...parts)));
      try {
        const bundle = bundleNameOf(paths[at] ?? '')?.split('/');
        const unpacked = bundle && isBundleArchive(temporary) ? await target.unpack(temporary, bundle) : null;
        if (unpacked?.reason) onPacked(artifact, unpacked.reason);
        return unpacked?.path ?? target.place(temporary, parts);
      } finally {
        rmSync(temporary, { force: true });
      }
    };
    const found = await save().catch((error: unknown) => ({ reason: whyNotWritten(error) }));
    if (typeof found !== 'string') onRefused(artifact, found.reason);
    saved.push({ ...artifact, saved_to: typeof found === 'string' ? found : null });
  }
  return saved;
}

/** Returns why this machine cannot write a file, where it may write others: smaller ones fit. @throws any other error */
function whyNotWritten(error: unknown): string {
  const problem = systemProblem(error);
  if (problem === null) throw error;
  return problem.text;
}

function createTarget(root: string, kept: KeptFiles) {
  const placed = new Set<string>();
  const bundles: string[] = [];
  const exists = (parts: readonly string[]) => isThere(join(root, ...parts));
  const foldOf = (parts: readonly string[]) => foldPath(parts.join('/'));

  return {
    /** Why nothing may be saved there; makes the folders above if it may. */
    refusal(parts: readonly string[]): string | null {
      const fold = foldOf(parts);
      if (bundles.some((bundle) => fold.startsWith(`${bundle}/`))) return 'it is inside a bundle';
      return (
        kept(parts) ??
        repositoryRefusal(parts, exists) ??
        (prepareFolders(root, parts) ? null : 'a part of its path exists and is not a folder')
      );
    },
    place(temporary: string, parts: readonly string[]): string {
      const path = join(root, ...parts);
      renameSync(temporary, path);
      for (let n = 1; n <= parts.length; n++) placed.add(foldOf(parts.slice(0, n)));
      return path;
    },
    /** Puts the bundle in place of an earlier one. A reason: it was not unpacked. */
    async unpack(archive: string, bundle: readonly string[]) {
      const path = join(root, ...bundle);
      const there = lstatSync(path, { throwIfNoEntry: false });
      const packed = (reason: string) => ({ path: null, reason });
      if (placed.has(foldOf(bundle))) return packed('another artifact has the name of its folder');
      if (there && !there.isDirectory()) return packed('a part of its path exists and is not a folder');
      const tracked = there ? kept(bundle) : null;
      if (tracked !== null) return packed(tracked);
      const scratch = join(dirname(path), temporaryName());
      mkdirSync(scratch, { mode: 0o700 });
      try {
        const name = bundle.at(-1) ?? '';
        await unpackBundle(archive, name, scratch);
        replaceFolder(path, join(scratch, name.normalize('NFC')), there ? join(scratch, temporaryName()) : null);
      } catch (error) {
        return packed(error instanceof Error ? error.message : String(error));
      } finally {
        rmSync(scratch, { recursive: true, force: true });
      }
      bundles.push(foldOf(bundle));
      return { path, reason: null };
    },
  };
}

/** @param aside where the folder goes that is there; null when there is none */
function replaceFolder(path: string, fresh: string, aside: string | null): void {
  if (aside !== null) renameSync(path, aside);
  try {
    renameSync(fresh, path);
  } catch (error) {
    if (aside !== null) renameSync(aside, path);
    throw error;
  }
}

/** Makes the folders above a file; false when one of them is a link or a file, or the file is a folder. */
function prepareFolders(root: string, parts: readonly string[]): boolean {
  let folder = root;
  for (const part of parts.slice(0, -1)) {
    folder = join(folder, part);
    const stat = lstatSync(folder, { throwIfNoEntry: false });
    if (!stat) mkdirSync(folder);
    else if (!stat.isDirectory()) return false;
  }
  return lstatSync(join(root, ...parts), { throwIfNoEntry: false })?.isDirectory() !== true;
}

const temporaryName = () => `.cidermill-${randomBytes(8).toString('hex')}`;

/** Returns a new file in the target's folder, so that no existing link is followed and no file half overwritten. */
async function download(contents: ArtifactContents, artifact: WorkspaceFile, folder: string): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    const temporary = join(folder, temporaryName());
    // An older service does not report the mode.
    const fd = openSync(temporary, 'wx', artifact.executable ? 0o777 : 0o666);
    let bytes = 0;
    try {
      try {
        for await (const chunk of contents(artifact)) {
          for (let at = 0; at < chunk.length; ) at += writeSync(fd, chunk, at);
          bytes += chunk.length;
        }
      } finally {
        closeSync(fd);
      }
      if (bytes !== artifact.bytes)
        throw unreachable(`${artifact.name} arrived with ${bytes} of ${artifact.bytes} bytes`);
      return temporary;
    } catch (error) {
      rmSync(temporary, { force: true });
      const again = error instanceof CidermillError && error.retryable && attempt < ATTEMPTS;
      if (!again) throw error;
    }
  }
}
