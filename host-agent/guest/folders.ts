// The folders of builds in a guest.
import path from 'node:path';
import { type CallOptions, callGuest } from './call.js';
import { encodeFrame } from './frames.js';
import { guestProgram } from './program.js';
import { fields } from './run.js';
import { GuestError, type GuestTransport } from './transport.js';

/** Absolute paths in the guest. */
export interface GuestFolders {
  /** The work folder of the source. */
  work: string;
  /** The service's state about the work folder. */
  state: string;
  tmp: string;
  /** The script of the build; not created yet. */
  script: string;
  /** CIDERMILL_ARTIFACTS; empty. */
  artifacts: string;
}

export interface GuestDisk {
  freeBytes: number;
  /** The work folders, with the time when a build last started in each, ms; 0: unknown. */
  folders: { name: string; usedAt: number }[];
  /** Other builds with files in `run`: nobody has cleaned up after them, so their processes may still run. */
  abandoned: string[];
}

const RUNS = 'run';

/** Returns the paths of a build, which {@link prepareGuestFolders} creates. */
export function guestFolders(root: string, build: { source: string; run: string }): GuestFolders {
  const { source, run } = build;
  return {
    work: path.join(root, 'work', source),
    state: path.join(root, 'state', source),
    tmp: path.join(root, 'tmp'),
    script: path.join(root, RUNS, run, 'script'),
    artifacts: path.join(root, RUNS, run, 'artifacts'),
  };
}

/**
 * Makes every folder that a build needs usable, whatever earlier builds have done to them, and deletes everything else
 * below `root`, except for other work folders. Does nothing while there are abandoned builds, unless `sweep` is true:
 * then their files are deleted too.
 *
 * @param build.source name of the work folder: 16 hex digits
 * @param build.run name of the attempt
 * @param build.now ms; the time of last use
 */
export async function prepareGuestFolders(
  transport: GuestTransport,
  root: string,
  build: { source: string; run: string; now: number; sweep?: boolean },
  options: CallOptions,
): Promise<GuestFolders & GuestDisk> {
  const { source, run, now, sweep = false } = build;
  const disk = await inFolders(
    transport,
    ['prepare', root, source, run, String(Math.round(now / 1000)), sweep ? '1' : ''],
    options,
  );
  return { ...guestFolders(root, build), ...disk };
}

/** Lists the work folders below `root`, which may be missing. */
export const readGuestDisk = (transport: GuestTransport, root: string, options: CallOptions): Promise<GuestDisk> =>
  inFolders(transport, ['disk', root], options);

/** Deletes work folders in which no build runs. */
export const removeGuestWork = (
  transport: GuestTransport,
  root: string,
  names: readonly string[],
  options: CallOptions,
): Promise<GuestDisk> => inFolders(transport, ['remove_work', root, ...names], options);

/** Deletes script and artifacts of a build. */
export const removeGuestRun = (
  transport: GuestTransport,
  root: string,
  run: string,
  options: CallOptions,
): Promise<GuestDisk> => inFolders(transport, ['remove_run', root, run], options);

/** Deletes whatever is at an absolute path of the guest, also what a build has locked. Links are not followed. */
export async function removeInGuest(transport: GuestTransport, folder: string, options: CallOptions): Promise<void> {
  await inFolders(transport, ['remove', folder], options);
}

const MOST_FOLDERS = 10_000;
const MOST_ABANDONED = 10;
const isRunName = (name: string) => /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,150}$/.test(name);
const invalid = (what: string) => new GuestError('bad_answer', `the guest sent ${what}`);

async function inFolders(
  transport: GuestTransport,
  request: readonly string[],
  options: CallOptions,
): Promise<GuestDisk> {
  const program = guestProgram('frames.pl', 'paths.pl', 'folders.pl');
  const abandoned: string[] = [];
  const done = await callGuest(transport, program, [encodeFrame('do', fields(request))], {
    ...options,
    onFrame({ type, payload }) {
      if (type !== 'abandoned' || abandoned.length > 0) throw invalid(`an unexpected frame: ${type}`);
      abandoned.push(...payload.toString('latin1').split('\0').slice(0, MOST_ABANDONED).filter(isRunName));
    },
  });
  const [free = '', ...rest] = done.toString('latin1').split('\0').slice(0, -1);
  const folders: GuestDisk['folders'] = [];
  for (let at = 0; at + 1 < rest.length && folders.length < MOST_FOLDERS; at += 2) {
    const [name = '', seconds = ''] = [rest[at], rest[at + 1]];
    if (!/^[0-9a-f]{16}$/.test(name)) throw invalid('no valid list of folders');
    folders.push({ name, usedAt: wholeNumber(seconds) * 1000 });
  }
  return { freeBytes: wholeNumber(free), folders, abandoned };
}

function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw invalid('no valid number');
  return Number(text);
}
