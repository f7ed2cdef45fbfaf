// The source step of a build: makes the work folder equal to the sources of the build.
import { join } from 'node:path';
import type { BuildSource } from '../../../shared/build.js';
import { type Clock, systemClock } from '../../../shared/clock.js';
import { errnoOf } from '../../../shared/errno.js';
import { trimContents } from '../../caches/content-trim.js';
import { trimMirrors } from '../../caches/git-mirror-trim.js';
import type { SourceResult, SourceStep } from '../../caches/source-step.js';
import { isDiskFull, stepFailure } from '../../caches/step-failure.js';
import { removeTree } from '../../system/remove-tree.js';
import { checkOutGit } from './git.js';
import type { SourceFetcher } from './port.js';
import { checkOutUpload } from './upload.js';
import { makePrivateFolder, makeRealFolder, readWorkState, resetWorkFolder, type WorkState } from './work-state.js';

/** The work folder is created if missing. Of the state folder, the part `source/` belongs to this step. */
export interface MaterializeInput extends Omit<SourceStep, 'clock'> {
  source: BuildSource;
  /** Used by uploads only. */
  fetcher: SourceFetcher;
  /** Start from an empty folder. */
  cleanTree: boolean;
  /** Value of the account's secret GIT_TOKEN: a token, or `user:token`. */
  gitToken: string | null;
  /** Additional environment for git: PATH, proxies, a certificate authority. */
  gitEnv?: Readonly<Record<string, string>>;
  /** Builds get a copy of the work folder, with the same modification times. */
  copied?: boolean;
  /** Transports other than https; http only for this machine. */
  gitProtocols?: readonly ('http' | 'file')[];
  /** Called when the disk is full; deletes other things to make room, and returns how many. */
  makeRoom?: () => Promise<number>;
  clock?: Clock;
}

/**
 * Makes the work folder equal to the sources by changing only what differs: unchanged files keep their modification
 * times, and files that builds created stay, unless `cleanTree`. Can be interrupted at any point, also by SIGKILL;
 * the next call repairs what is incomplete.
 *
 * @throws BuildStepError for everything that goes into the build's failure; the signal's reason when aborted
 * @example
 * await materialize({
 *   source: spec.source, fetcher, cleanTree: spec.clean_tree, gitToken: null,
 *   workDir: '/Macs/1/work', stateDir: '/Macs/1/state', cacheDir: '/var/cidermill/cache/42',
 *   say: (line) => log.write(`[cidermill] ${line}\n`), signal, limits: defaultSourceLimits,
 * }); // { commit: null, about: null, changed: 3, removed: 1, bytes: 5400 }
 */
export async function materialize(input: MaterializeInput): Promise<SourceResult> {
  const warned = new Set<string>();
  const step: SourceStep = {
    workDir: input.workDir,
    stateDir: join(input.stateDir, 'source'),
    cacheDir: input.cacheDir,
    say: input.say,
    warn(warning) {
      if (warned.has(warning.text)) return;
      warned.add(warning.text);
      input.warn(warning);
    },
    signal: input.signal,
    limits: input.limits,
    clock: input.clock ?? systemClock,
  };
  try {
    input.signal.throwIfAborted();
    await makePrivateFolder(step.stateDir, step.signal);
    await makePrivateFolder(step.cacheDir, step.signal);
    return await retryWithRoom(input, step, () => checkOutOrStartOver(input, step));
  } catch (error) {
    input.signal.throwIfAborted();
    throw stepFailure(error);
  }
}

/** Errors caused by something that a build left in the way, or protected (flags, access control lists, its owner). */
const BLOCKED = new Set(['EPERM', 'EACCES', 'ENOTDIR', 'EISDIR', 'ELOOP', 'ENOTEMPTY', 'EEXIST']);
const isBlocked = (error: unknown) => BLOCKED.has(errnoOf(error) ?? '');

/** Retries from an empty folder when something that builds left is in the way, then also without the cache. */
async function checkOutOrStartOver(input: MaterializeInput, step: SourceStep): Promise<SourceResult> {
  const fromEmpty = () => checkOutSource({ ...input, cleanTree: true }, step);
  try {
    return await checkOutSource(input, step);
  } catch (error) {
    if (!isBlocked(error)) throw error;
    step.say('Something in the work folder cannot be changed; starting from an empty one.');
  }
  try {
    return await fromEmpty();
  } catch (error) {
    if (!isBlocked(error)) throw error;
    step.say('The cached files cannot be used; fetching them again.');
    await removeTree(step.cacheDir, step.signal);
    await makePrivateFolder(step.cacheDir, step.signal);
  }
  return fromEmpty();
}

/** When the disk is full, clears the account's caches and retries once. */
async function retryWithRoom(
  input: MaterializeInput,
  step: SourceStep,
  fn: () => Promise<SourceResult>,
): Promise<SourceResult> {
  try {
    return await fn();
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    step.say('The disk is full; dropping cached files and trying again.');
    await input.makeRoom?.();
    const { cacheDir, clock, signal } = step;
    await trimContents(cacheDir, { limit: 0, added: 1, now: clock.now(), signal });
    await trimMirrors(cacheDir, 0, { clock, signal });
    return await fn();
  }
}

async function checkOutSource(input: MaterializeInput, step: SourceStep): Promise<SourceResult> {
  const { source } = input;
  const next: WorkState = source.kind === 'git' ? { kind: 'git', url: source.url } : { kind: 'upload' };
  const before = readWorkState(step.stateDir);
  if (before && sameState(before, next) && !input.cleanTree) {
    await makeRealFolder(step.workDir, step.signal);
  } else {
    if (before && !input.cleanTree) step.say('The work folder held other sources; starting from an empty one.');
    await resetWorkFolder(step, next);
  }
  if (source.kind === 'upload') return checkOutUpload(step, source, input.fetcher);
  return checkOutGit(step, source, {
    token: input.gitToken,
    env: input.gitEnv ?? {},
    protocols: input.gitProtocols ?? [],
    copied: input.copied ?? false,
  });
}

function sameState(a: WorkState, b: WorkState): boolean {
  return a.kind === 'git' && b.kind === 'git' ? a.url === b.url : a.kind === b.kind;
}
