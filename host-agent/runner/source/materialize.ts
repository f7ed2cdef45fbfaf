// The source step of a build: makes the work folder hold what the build is to be run on.
import { join } from 'node:path';
import type { BuildSource } from '../../../shared/build.js';
import { type Clock, systemClock } from '../../../shared/clock.js';
import { trimContents } from '../../caches/content-trim.js';
import { trimMirrors } from '../../caches/git-mirror-trim.js';
import type { Laid, Laying } from '../../caches/source-step.js';
import { isDiskFull, stepFailure } from '../../caches/step-failure.js';
import type { SourceLimits } from '../../limits.js';
import { errnoOf } from '../../system/errno.js';
import { removeTree } from '../../system/remove-tree.js';
import { layGit } from './git.js';
import type { SourceFetcher } from './port.js';
import { layUpload } from './upload.js';
import { makeRealFolder, readWorkState, startAfresh, type WorkState } from './work-state.js';

export interface MaterializeInput {
  source: BuildSource;
  /** Used by uploads only. */
  fetcher: SourceFetcher;
  /** The build's work folder. It is made when it is not there; links in it are never followed. */
  workDir: string;
  /** Of one Mac, outside its work folder; a part of it (`source/`) belongs to this step. */
  stateDir: string;
  /** Of one account on this host, never shared between accounts; used by its Macs at the same time. */
  cacheDir: string;
  /** Start from an empty folder. */
  cleanTree: boolean;
  /** Value of the account's secret GIT_TOKEN: a token, or `user:token`. */
  gitToken: string | null;
  /** More environment for git: PATH, proxies, an own certificate authority. */
  gitEnv?: Readonly<Record<string, string>>;
  /** Other ways to reach repositories than https; http is for this machine only. */
  gitProtocols?: readonly ('http' | 'file')[];
  /** Writes a line of the service's own (without `[cidermill] `) into the build's log. */
  say(line: string): void;
  /** A warning on the build: what its sources lack. */
  warn(line: string): void;
  /** Called when the disk is full; removes what else could make room, and returns how many things that were. */
  makeRoom?: () => Promise<number>;
  signal: AbortSignal;
  limits: Readonly<SourceLimits>;
  clock?: Clock;
}

/**
 * Lays the sources over the work folder, changing only what differs: files that are as they should be keep their
 * modification times, and what builds made stays, unless `cleanTree`. Can be interrupted at any point, also by
 * SIGKILL: the next call mends what is half done.
 *
 * @throws BuildStepError for everything that goes into the build's failure; the signal's reason when aborted
 * @example
 * await materialize({
 *   source: spec.source, fetcher, cleanTree: spec.clean_tree, gitToken: null,
 *   workDir: '/Macs/1/work', stateDir: '/Macs/1/state', cacheDir: '/var/cidermill/cache/42',
 *   say: (line) => log.write(`[cidermill] ${line}\n`), signal, limits: defaultSourceLimits,
 * }); // { commit: null, changed: 3, removed: 1, bytes: 5400 }
 */
export async function materialize(input: MaterializeInput): Promise<Laid> {
  const warned = new Set<string>();
  const laying: Laying = {
    workDir: input.workDir,
    stateDir: join(input.stateDir, 'source'),
    cacheDir: input.cacheDir,
    say: input.say,
    warn(line) {
      if (warned.has(line)) return;
      warned.add(line);
      input.warn(line);
    },
    signal: input.signal,
    limits: input.limits,
    clock: input.clock ?? systemClock,
  };
  try {
    input.signal.throwIfAborted();
    await makeRealFolder(laying.stateDir, laying.signal);
    await makeRealFolder(laying.cacheDir, laying.signal);
    return await layWithRoom(input, laying, () => layOrStartAfresh(input, laying));
  } catch (error) {
    input.signal.throwIfAborted();
    throw stepFailure(error);
  }
}

/** Something that a build has left stands in the way, or is protected (flags, access control lists, its owner). */
const IN_THE_WAY = new Set(['EPERM', 'EACCES', 'ENOTDIR', 'EISDIR', 'ELOOP', 'ENOTEMPTY', 'EEXIST']);
const isInTheWay = (error: unknown) => IN_THE_WAY.has(errnoOf(error) ?? '');

/** Starts once more from an empty folder when what builds have left is in the way, then also without the cache. */
async function layOrStartAfresh(input: MaterializeInput, laying: Laying): Promise<Laid> {
  const fromEmpty = () => lay({ ...input, cleanTree: true }, laying);
  try {
    return await lay(input, laying);
  } catch (error) {
    if (!isInTheWay(error)) throw error;
    laying.say('Something in the work folder cannot be changed; starting from an empty one.');
  }
  try {
    return await fromEmpty();
  } catch (error) {
    if (!isInTheWay(error)) throw error;
    laying.say('The cached files cannot be used; fetching them again.');
    await removeTree(laying.cacheDir, laying.signal);
    await makeRealFolder(laying.cacheDir, laying.signal);
  }
  return fromEmpty();
}

/** When the disk is full, what is cached for the account makes room, and the step is done once more. */
async function layWithRoom(input: MaterializeInput, laying: Laying, fn: () => Promise<Laid>): Promise<Laid> {
  try {
    return await fn();
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    laying.say('The disk is full; dropping cached files and trying again.');
    await input.makeRoom?.();
    const { cacheDir, clock, signal, limits } = laying;
    await trimContents(cacheDir, { limit: 0, added: 1, now: clock.now(), signal });
    await trimMirrors(cacheDir, 0, { clock, signal, staleMs: limits.lockStaleMs });
    return await fn();
  }
}

async function lay(input: MaterializeInput, laying: Laying): Promise<Laid> {
  const { source } = input;
  const next: WorkState = source.kind === 'git' ? { kind: 'git', url: source.url } : { kind: 'upload' };
  const before = readWorkState(laying.stateDir);
  if (before && sameState(before, next) && !input.cleanTree) {
    await makeRealFolder(laying.workDir, laying.signal);
  } else {
    if (before && !input.cleanTree)
      laying.say('The work folder held other sources; starting from an empty one.');
    await startAfresh(laying, next);
  }
  if (source.kind === 'upload') return layUpload(laying, source, input.fetcher);
  return layGit(laying, source, {
    token: input.gitToken,
    env: input.gitEnv ?? {},
    protocols: input.gitProtocols ?? [],
  });
}

function sameState(a: WorkState, b: WorkState): boolean {
  return a.kind === 'git' && b.kind === 'git' ? a.url === b.url : a.kind === b.kind;
}
