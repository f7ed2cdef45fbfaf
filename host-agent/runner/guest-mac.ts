// The Mac of a build that is a virtual machine: sources are checked out on this host and brought into it; the script runs
// in it under a supervisor (docs/adr/0038-builds-in-a-guest.md).
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Clock } from '../../shared/clock.js';
import { type AttemptRef, attemptName, buildFiles, processMark } from '../contract/attempt-folder.js';
import type { BuildMac } from '../driver/build-mac.js';
import type { MacDriver, ProcessSignal } from '../driver/driver.js';
import { freeDisk } from '../driver/free-disk.js';
import { GUEST_ROOT } from '../driver/guest-access.js';
import { GUEST_RUNS } from '../driver/guest-builds.js';
import { stagingFolders, stagingOf } from '../driver/guest-staging.js';
import { folderNameOf, openWorkFolder } from '../driver/work-folders.js';
import { collect } from '../guest/artifacts/collect.js';
import { guestFolders, readGuestDisk, removeGuestRun } from '../guest/folders.js';
import { signalGuestBuild } from '../guest/processes.js';
import { openGuestScript } from '../guest/script.js';
import { listXcodes, xcodeOf } from '../guest/software/xcodes.js';
import { type Delivery, type DeliveryOptions, type DeliveryResult, deliver } from '../guest/sources/deliver.js';
import { GuestError, type GuestTransport } from '../guest/transport.js';
import type { GuestLimits } from '../limits.js';
import { removeTree } from '../system/remove-tree.js';
import { within } from '../system/within.js';
import { guestFailure, isFull } from './guest-failure.js';
import { makeRoomInGuest, prepareGuest } from './guest-preparation.js';
import type { Guest } from './persistent-guest.js';
import { openGuest } from './persistent-guest.js';

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
      const build = { source: folderNameOf(sourceKey), run: attemptName(ref), now };
      const { work, tmp } = await guest.during('prepare', signal, ({ transport }) =>
        prepareGuest(transport, build, { limits, diskReserveBytes, signal }),
      );
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
        const delivery = { from: paths.sources, to: paths.work, state, stateFile, clean };
        return bringSources(transport, source, delivery, { timeoutMs: limits.foldersMs, signal, say });
      }),
    openScript({ script, env, variables, files: contents, paths, ...terminal }) {
      const opened = openGuestScript(
        guest.access().transport,
        {
          script,
          env,
          variables,
          files: contents,
          mark,
          file: files.script,
          secrets: files.secrets,
          cwd: paths.work,
          shell: null,
          ...terminal,
        },
        { limits, clock, isRunning: guest.isRunning },
      );
      return {
        ...opened,
        signal: guestSignals(opened.signal, { guest, mark, limits, clock }),
        ended: opened.ended.catch((error: unknown) => Promise.reject(guestFailure(error, 'script'))),
        release: () => void opened.release(),
      };
    },
    async collect(paths, to, { maxBytes, maxEntries, signal }) {
      incoming = to;
      const bounds = {
        maxBytes,
        maxBundleBytes: maxBytes * BUNDLE_RATIO,
        maxEntries,
        maxDepth: MOST_DEPTH,
        timeoutMs: limits.foldersMs,
        signal,
      };
      return guest.during('artifacts', signal, async ({ transport }) => {
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

/**
 * Returns a function that asks the build's supervisor to signal the build's processes, and once that has not answered in
 * time, another program in the guest. In a guest that does not answer either, one process counts as left.
 */
function guestSignals(
  supervisor: Signal,
  options: { guest: Guest; mark: string; limits: GuestLimits; clock: Clock },
): Signal {
  const { guest, mark, limits, clock } = options;
  let answers = true;
  return async (signal) => {
    const found = answers ? await within(supervisor(signal), clock, limits.signalMs, null) : null;
    if (found !== null) return found;
    answers = false;
    const call = { timeoutMs: limits.signalMs };
    const build = { mark, script: null, work: null };
    return signalGuestBuild(guest.access().transport, build, signal, call).catch(async () =>
      (await guest.isRunning()) ? 1 : 0,
    );
  };
}

/**
 * Delivers them. When the disk of the guest is full, deletes the work folders of other sources and tries again.
 *
 * @param source name of the work folder
 */
async function bringSources(
  transport: GuestTransport,
  source: string,
  delivery: Delivery,
  options: DeliveryOptions,
): Promise<void> {
  const { say } = options;
  const bring = async () => {
    const said = saidOf(await deliver(transport, delivery, options));
    if (said !== null) say(said);
  };
  try {
    await bring();
  } catch (error) {
    if (!(error instanceof GuestError) || !isFull(error)) throw error;
    const disk = await readGuestDisk(transport, GUEST_ROOT, options);
    const room = { keep: source, reserveBytes: Number.POSITIVE_INFINITY, call: options };
    if ((await makeRoomInGuest(transport, disk, room)) === 0) throw error;
    say('The disk of the Mac is full; deleted the work folders of other sources and trying again.');
    await bring();
  }
}

/** Returns a line for the log; null if nothing crossed. */
function saidOf({ sent, removed, bytes, repaired }: DeliveryResult): string | null {
  if (sent + removed === 0) return null;
  const changed = repaired === 0 ? '' : ` (${repaired} had been changed there)`;
  return `brought into the Mac: ${sent} written${changed}, ${removed} removed, ${bytes} bytes sent`;
}
