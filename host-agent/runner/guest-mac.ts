// The Mac of a build that is a virtual machine: sources are checked out on this host and brought into it; the script runs
// in it under a supervisor (docs/adr/0038-builds-in-a-guest.md).
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Clock } from '../../shared/clock.js';
import { pause } from '../../shared/pause.js';
import type { BuildStep } from '../../shared/protocol/index.js';
import { type AttemptRef, attemptName, buildFiles, processMark } from '../contract/attempt-folder.js';
import type { BuildMac } from '../driver/build-mac.js';
import type { MacDriver, ProcessSignal } from '../driver/driver.js';
import { freeDisk, leastRecentlyUsed } from '../driver/free-disk.js';
import { GUEST_ROOT, type GuestAccess, VmLostError } from '../driver/guest-access.js';
import { GUEST_RUNS } from '../driver/guest-builds.js';
import { stagingFolders, stagingOf } from '../driver/guest-staging.js';
import { folderNameOf, openWorkFolder } from '../driver/work-folders.js';
import { collect } from '../guest/artifacts/collect.js';
import type { CallOptions } from '../guest/call.js';
import {
  type GuestDisk,
  guestFolders,
  prepareGuestFolders,
  readGuestDisk,
  removeGuestRun,
  removeGuestWork,
} from '../guest/folders.js';
import { signalGuestBuild } from '../guest/processes.js';
import { openGuestScript } from '../guest/script.js';
import { listXcodes, xcodeOf } from '../guest/software/xcodes.js';
import { type DeliveryResult, deliver } from '../guest/sources/deliver.js';
import { GuestError, type GuestTransport, GuestUnreachableError } from '../guest/transport.js';
import type { GuestLimits } from '../limits.js';
import { removeTree } from '../system/remove-tree.js';
import { within } from '../system/within.js';
import { guestFailure, isFull } from './guest-failure.js';

export interface GuestMacOptions {
  driver: Pick<MacDriver, 'guest' | 'freeBytes'>;
  /** Of the host agent: the staging folders are in it. */
  dataDir: string;
  slotId: string;
  ref: AttemptRef;
  limits: GuestLimits;
  /** With less free space than this in the guest, work folders of other sources are deleted. */
  diskReserveBytes: number;
  clock: Clock;
}

/** In the folder of a source's state: what was last delivered. */
const DELIVERED = 'delivered.json';
/** Bundles are limited by what is left of them after compression. */
const BUNDLE_RATIO = 4;
const MOST_DEPTH = 100;
/** How long it may take to find out whether the virtual machine runs. */
const RUNNING_MS = 15_000;

export function createGuestMac(options: GuestMacOptions): BuildMac {
  const { driver, dataDir, slotId, ref, limits, diskReserveBytes, clock } = options;
  const guest = openGuest(options);
  const files = buildFiles(GUEST_RUNS, ref);
  const mark = processMark(files);
  const staging = stagingOf(dataDir, slotId);
  let incoming: string | null = null;

  return {
    makeRoom: (sourceKey, reserveBytes, signal) => {
      const folders = stagingFolders(dataDir);
      return freeDisk(
        { freeBytes: driver.freeBytes, workFolders: folders.workFolders },
        {
          slots: [slotId],
          keep: new Set([folderNameOf(sourceKey)]),
          reserveBytes,
          async remove({ name }) {
            await folders.removeWorkFolder(slotId, name, signal);
            return true;
          },
        },
      );
    },
    async prepare(sourceKey, signal) {
      const now = clock.now();
      for (const folder of Object.values(staging)) mkdirSync(folder, { recursive: true, mode: 0o700 });
      const { work: sources, state } = await openWorkFolder(staging, sourceKey, { now, signal });
      const source = folderNameOf(sourceKey);
      const { work, tmp } = await guest.during('prepare', signal, async ({ transport }) => {
        const call = { timeoutMs: limits.foldersMs, signal };
        const run = attemptName(ref);
        const folders = await prepareGuestFolders(transport, GUEST_ROOT, { source, run, now }, call);
        await makeRoomInGuest(transport, folders, { keep: source, reserveBytes: diskReserveBytes, call });
        return folders;
      });
      const { home } = guest.access();
      return { home, work, tmp, artifacts: files.artifacts, sources, state };
    },
    developerDir: (version) =>
      guest.during('xcode', undefined, async ({ transport }) => {
        const xcodes = await listXcodes(transport, { timeoutMs: limits.callMs });
        return xcodeOf(xcodes, version)?.developerDir ?? null;
      }),
    deliver: (paths, { clean, say, signal }) =>
      guest.during('source', signal, ({ transport }) => {
        const source = path.basename(paths.work);
        const { state } = guestFolders(GUEST_ROOT, { source, run: attemptName(ref) });
        const stateFile = path.join(paths.state, DELIVERED);
        const call = { timeoutMs: limits.foldersMs, signal };
        const bring = async () => {
          const delivery = { from: paths.sources, to: paths.work, state, stateFile, clean };
          const said = saidOf(await deliver(transport, delivery, { ...call, say }));
          if (said !== null) say(said);
        };
        return bring().catch(async (error: unknown) => {
          if (!(error instanceof GuestError) || !isFull(error)) throw error;
          const disk = await readGuestDisk(transport, GUEST_ROOT, call);
          const reserveBytes = Number.POSITIVE_INFINITY;
          if ((await makeRoomInGuest(transport, disk, { keep: source, reserveBytes, call })) === 0)
            throw error;
          say('The disk of the Mac is full; deleted the work folders of other sources and trying again.');
          await bring();
        });
      }),
    openScript({ script, env, paths, ...terminal }) {
      const opened = openGuestScript(
        guest.access().transport,
        { script, env, mark, file: files.script, cwd: paths.work, shell: null, ...terminal },
        { limits, clock, isRunning: guest.isRunning },
      );
      return {
        ...opened,
        signal: signalOr(
          opened.signal,
          (signal) => signalWithout(guest.access(), mark, signal, limits),
          options,
        ),
        ended: opened.ended.catch((error: unknown) => Promise.reject(guestFailure(error, 'script'))),
        release: () => void opened.release(),
      };
    },
    async collect(paths, to, { maxBytes, maxEntries, signal }) {
      incoming = to;
      const bounds = {
        ...{ maxBytes, maxBundleBytes: maxBytes * BUNDLE_RATIO, maxEntries, maxDepth: MOST_DEPTH },
        ...{ timeoutMs: limits.foldersMs, signal },
      };
      return guest.during('artifacts', undefined, async ({ transport }) => {
        await removeTree(to);
        const { leftOut, cut } = await collect(transport, { from: paths.artifacts, to }, bounds);
        return { folder: to, leftOut, cut };
      });
    },
    async removeFiles(signal) {
      if (incoming !== null) await removeTree(incoming, signal);
      const call = { timeoutMs: limits.foldersMs, signal };
      await removeGuestRun(guest.access().transport, GUEST_ROOT, attemptName(ref), call);
    },
  };
}

type Signal = (signal: ProcessSignal) => Promise<number>;

/** Returns `first`, and `second` once that has not answered in time. */
function signalOr(first: Signal, second: Signal, { limits, clock }: GuestMacOptions): Signal {
  let answers = true;
  return async (signal) => {
    const found = answers ? await within(first(signal), clock, limits.signalMs, null) : null;
    answers = found !== null;
    return found ?? second(signal);
  };
}

/** Signals the build's processes without its supervisor. In a guest that does not answer, one counts as left. */
async function signalWithout(
  { transport }: GuestAccess,
  mark: string,
  signal: ProcessSignal,
  { signalMs }: GuestLimits,
): Promise<number> {
  const build = { mark, script: null, work: null };
  return signalGuestBuild(transport, build, signal, { timeoutMs: signalMs }).catch(() => 1);
}

/** Returns a line for the log; null if nothing crossed. */
function saidOf({ sent, removed, bytes, repaired }: DeliveryResult): string | null {
  if (sent + removed === 0) return null;
  const changed = repaired === 0 ? '' : ` (${repaired} had been changed there)`;
  return `brought into the Mac: ${sent} written${changed}, ${removed} removed, ${bytes} bytes sent`;
}

/** Deletes other work folders of the guest, least recently used first; returns how many. */
async function makeRoomInGuest(
  transport: GuestTransport,
  disk: GuestDisk,
  { keep, reserveBytes, call }: { keep: string; reserveBytes: number; call: CallOptions },
): Promise<number> {
  let { freeBytes, folders } = disk;
  let removed = 0;
  while (freeBytes < reserveBytes) {
    const next = leastRecentlyUsed(folders, new Set([keep]));
    if (next === null) break;
    ({ freeBytes } = await removeGuestWork(transport, GUEST_ROOT, [next.name], call));
    folders = folders.filter(({ name }) => name !== next.name);
    removed += 1;
  }
  return removed;
}

interface Guest {
  /** Throws VmLostError before the first `during`. */
  access(): GuestAccess;
  /** Returns false when it is known that the virtual machine does not run. */
  isRunning(): Promise<boolean>;
  /**
   * Works in the guest; repeats that while its connections break, until `lostMs` have passed.
   *
   * @throws BuildStepError for everything that goes into the build's failure
   */
  during<T>(
    step: BuildStep,
    signal: AbortSignal | undefined,
    work: (access: GuestAccess) => Promise<T>,
  ): Promise<T>;
}

function openGuest({ driver, slotId, limits, clock }: GuestMacOptions): Guest {
  let access: GuestAccess | null = null;
  const open = async () => {
    access ??= await driver.guest(slotId);
    return opened();
  };
  const opened = () => {
    if (access === null) throw new VmLostError('there is no virtual machine in this slot');
    return access;
  };
  const isRunning = () =>
    within(
      opened()
        .running()
        .catch(() => true),
      clock,
      RUNNING_MS,
      true,
    );
  const persist = async <T>(
    signal: AbortSignal | undefined,
    work: (access: GuestAccess) => Promise<T>,
  ): Promise<T> => {
    const deadline = clock.now() + limits.lostMs;
    for (let wait = limits.retryBaseMs; ; wait = Math.min(wait * 2, limits.retryMaxMs)) {
      try {
        return await work(await open());
      } catch (error) {
        signal?.throwIfAborted();
        if (!(error instanceof GuestUnreachableError) || clock.now() >= deadline) throw error;
        if (!(await isRunning())) throw new VmLostError('it has stopped', { cause: error });
      }
      await pause(clock, wait, signal);
    }
  };
  return {
    access: opened,
    isRunning,
    during: (step, signal, work) =>
      persist(signal, work).catch((error: unknown) => Promise.reject(guestFailure(error, step))),
  };
}
