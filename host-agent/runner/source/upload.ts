// Checks out an upload: unchanged files are not touched, so that their modification times stay and the next build is
// incremental.
import { lstatSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { countOf } from '../../../shared/count.js';
import type { BuildSource, SourceManifest } from '../../../shared/protocol/index.js';
import { createContentCache } from '../../caches/content-cache.js';
import { trimContents } from '../../caches/content-trim.js';
import type { SourceResult, SourceStep } from '../../caches/source-step.js';
import { compareFiles } from './compare-files.js';
import { lookAhead } from './look-ahead.js';
import type { SourceFetcher } from './port.js';
import { removeLeft } from './remove-left.js';
import { readSources } from './sources.js';
import { readState, writeState } from './state-file.js';
import { writeContents } from './transfer.js';
import { createWorkFolders, parentOf, type WorkFolders } from './work-folders.js';
import { createStamps, emptyWorkIndex, readWorkIndex, type WorkIndex, writeWorkIndex } from './work-index.js';
import { INDEX, resetWorkFolder } from './work-state.js';
import { clearPath } from './write-files.js';

type UploadSource = Extract<BuildSource, { kind: 'upload' }>;

/**
 * What is about to be written and is not in the index yet. If the agent dies meanwhile, the next build knows from
 * this file that the service wrote those paths, and deletes those that its manifest does not have.
 */
const pendingShape = z.object({ paths: z.array(z.string()), directories: z.array(z.string()) });
type Pending = z.infer<typeof pendingShape>;

/**
 * Makes the work folder equal to the upload: files, links and empty folders, whatever an earlier build did to them.
 * Files that builds created stay.
 */
export async function checkOutUpload(
  step: SourceStep,
  source: UploadSource,
  fetcher: SourceFetcher,
): Promise<SourceResult> {
  const indexPath = join(step.stateDir, INDEX);
  const pendingPath = join(step.stateDir, 'work-pending.json');
  const before = readWorkIndex(indexPath) ?? (await startUnknown(step));
  const pending = readState(pendingPath, pendingShape);

  const known = before.manifestSha256 === source.manifest_sha256;
  const folders = createWorkFolders(step.workDir, step.signal);
  // Requested first: it arrives while the files are checked.
  const [{ manifest, needed }, untouched] = await bothDone(
    readSources(step, fetcher, source.manifest_sha256, before),
    lookAhead(step, folders, before),
  );
  const { left, came } = comparePaths(before, manifest);
  // Before comparing: where names ignore case, a removed file may have the name of a new one.
  const removed = await removeLeft(step, withPending(left, before, pending, manifest), needed, folders);

  const stamps = createStamps(manifest.files.length);
  const found = await compareFiles(step, manifest.files, folders, before, untouched, stamps);
  const links = manifest.links.filter((link) => !isInPlace(step.workDir, link, folders));
  const writtenDirectories = new Set(before.directories);
  const directories = manifest.directories.filter((folder) => !writtenDirectories.has(folder));
  if (came.length + directories.length > 0) {
    writeState(pendingPath, { paths: came, directories }, { durable: true });
  }

  for (const folder of needed) if (!folders.isReal(folder)) await folders.make(folder);
  const bytes = await writeFiles(step, fetcher, manifest, found.differing, stamps);
  for (const link of links) {
    await clearPath(`${step.workDir}/${link.path}`, step.signal);
    symlinkSync(link.target, `${step.workDir}/${link.path}`);
  }

  const changed = found.differing.length + found.modesSet + links.length;
  if (!known || pending || changed + removed + found.read > 0) {
    writeWorkIndex(indexPath, { ...indexOf(manifest), manifestSha256: source.manifest_sha256, stamps });
    rmSync(pendingPath, { force: true });
  }
  step.say(
    `${countOf(manifest.files.length, 'file')}: ${changed} changed, ${removed} removed, ${countOf(bytes, 'byte')} written`,
  );
  return { commit: null, about: null, changed, removed, bytes };
}

/** Returns both results or the first error, but only once both have settled. */
async function bothDone<A, B>(first: A | Promise<A>, second: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([first, second]);
  return Promise.all([first, second]);
}

/** The index is damaged, so files of the service cannot be told from files that builds created. */
async function startUnknown(step: SourceStep): Promise<WorkIndex> {
  step.say('The record of the last checkout is lost; starting from an empty folder.');
  await resetWorkFolder(step, { kind: 'upload' });
  return emptyWorkIndex();
}

async function writeFiles(
  step: SourceStep,
  fetcher: SourceFetcher,
  { files }: SourceManifest,
  rows: readonly number[],
  stamps: Float64Array,
): Promise<number> {
  if (rows.length === 0) return 0;
  const { cacheDir, clock, limits, signal } = step;
  const cache = createContentCache(cacheDir, clock);
  await writeContents({ step, fetcher, cache, files, stamps }, rows);
  const added = cache.added();
  if (added > 0) {
    await trimContents(cacheDir, { limit: limits.contentCacheBytes, added, now: clock.now(), signal });
  }
  return rows.reduce((sum, row) => sum + files[row]!.size, 0);
}

/** Returns the paths to delete: those that left the manifest, and those that an interrupted build wrote. */
function withPending(left: string[], before: WorkIndex, pending: Pending | null, manifest: SourceManifest) {
  if (!pending) return { paths: left, directories: before.directories };
  const kept = new Set([...manifest.files, ...manifest.links].map((entry) => entry.path));
  const directories = [...before.directories, ...pending.directories];
  return { paths: [...left, ...pending.paths.filter((path) => !kept.has(path))], directories };
}

function isInPlace(workDir: string, link: SourceManifest['links'][number], folders: WorkFolders): boolean {
  if (!folders.isReal(parentOf(link.path))) return false;
  const path = `${workDir}/${link.path}`;
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isSymbolicLink() === true && readlinkSync(path) === link.target;
}

function indexOf(manifest: SourceManifest) {
  return {
    paths: manifest.files.map((file) => file.path),
    sha256: manifest.files.map((file) => file.sha256).join(''),
    links: manifest.links,
    directories: manifest.directories,
  };
}

interface PathChanges {
  /** Files and links of the last checkout that are not in the manifest. */
  left: string[];
  /** Files and links of the manifest that were not in the last checkout. */
  came: string[];
}

function comparePaths(before: WorkIndex, manifest: SourceManifest): PathChanges {
  // Most builds change contents only; then no sets of paths are needed.
  const sameFiles =
    before.paths.length === manifest.files.length &&
    manifest.files.every((file, row) => file.path === before.paths[row]);
  const pathsBefore = [...(sameFiles ? [] : before.paths), ...before.links.map((link) => link.path)];
  const pathsNow = [...(sameFiles ? [] : manifest.files), ...manifest.links].map((entry) => entry.path);
  const had = new Set(pathsBefore);
  const has = new Set(pathsNow);
  return {
    left: pathsBefore.filter((path) => !has.has(path)),
    came: pathsNow.filter((path) => !had.has(path)),
  };
}
