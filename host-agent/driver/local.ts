// A "Mac" that is a folder of this host with its own home, work folder, caches and TMPDIR. It separates builds, but does
// not isolate them: they run as the agent's user and can read whatever that user can. Hosts for strangers need VMs.
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { type Clock, systemClock } from '../../shared/clock.js';
import { countOf } from '../../shared/count.js';
import { defaultBuildLimits } from '../limits.js';
import { removeTree } from '../system/remove-tree.js';
import { withSubreaper } from '../system/subreaper.js';
import { type MacDriver, macRecord, NotInstalledError } from './driver.js';
import { killUntilGone } from './kill-until-gone.js';
import { createLocalFolders, type LocalFolders, type MacPaths } from './local-folders.js';
import { freeBytesOf, hostEnvironment, inventoryOf, isCommand } from './local-host.js';
import { belongsToBuild, belongsToMac, signalProcesses } from './local-processes.js';
import { makeAnew, makeMacUsable, makeUsable, makeUsableOrNew } from './mac-folders.js';
import { findRuntimes } from './runtimes.js';
import { listWorkFolders, openWorkFolder, removeWorkFolder } from './work-folders.js';
import { findXcodes } from './xcodes.js';

export interface LocalDriverOptions {
  /** Macs are kept in `macs/<slot_id>/` below it. */
  dataDir: string;
  /** Where Xcodes are found; default: `/Applications`. */
  applicationsDir?: string;
  clock?: Clock;
  /** How long killing processes is repeated, in ms. */
  killRoundsMs?: number;
}

/** A command that runs inside the Mac. */
export interface Launch {
  file: string;
  args: string[];
  env: Record<string, string>;
  cwd: string;
}

/** The driver, with what a build needs of its Mac's folders and environment on this host. */
export interface LocalDriver extends MacDriver {
  paths(slotId: string): MacPaths;
  /**
   * Makes every folder that a build of this source needs usable; see `BuildMac`.
   *
   * @returns the paths for that build
   */
  prepare(slotId: string, sourceKey: string, signal?: AbortSignal): Promise<MacPaths>;
  /** Returns the absolute DEVELOPER_DIR of an installed Xcode, or null. */
  developerDir(version: string): Promise<string | null>;
  launch(slotId: string, argv: readonly string[], env: Readonly<Record<string, string>>, cwd: string): Launch;
}

/**
 * Creates the driver for hosts whose users trust each other, and for development. It installs nothing: what is asked
 * for must already be installed.
 *
 * @example
 * const driver = createLocalDriver({ dataDir: '/var/lib/cidermill' });
 * await driver.create({ slot_id: 's1', image: null }, () => {});
 * (await driver.prepare('s1', 'upload:ws_1:app')).work; // /var/lib/cidermill/macs/s1/work/5d1c…
 */
export function createLocalDriver(options: LocalDriverOptions): LocalDriver {
  const { clock = systemClock, killRoundsMs = defaultBuildLimits.killRoundsMs } = options;
  const dataDir = path.resolve(options.dataDir);
  const applicationsDir = options.applicationsDir ?? '/Applications';
  const folders = createLocalFolders(dataDir);
  const { folderOf, paths, readRecord } = folders;
  const endProcesses = (slotId: string) => endMacProcesses(folders, slotId, { clock, killRoundsMs });

  return {
    kind: 'local',
    spec: { kind: 'local', data_dir: dataDir, applications_dir: applicationsDir },
    paths,
    ...installedSoftware(applicationsDir),
    ...noVirtualMachines,
    inventory: async () => inventoryOf(dataDir, await findXcodes(applicationsDir)),
    claimSlots: folders.marks.claim,
    listMacs: folders.list,
    async create({ slot_id }) {
      await folders.makeRoot();
      await mkdir(folderOf(slot_id), { recursive: true, mode: 0o700 });
      folders.marks.write(slot_id);
      for (const folder of Object.values(paths(slot_id))) {
        await mkdir(folder, { recursive: true, mode: 0o700 });
      }
    },
    async remove(slotId) {
      await endProcesses(slotId);
      await folders.remove(slotId);
    },
    async emptyWork(slotId) {
      const { work, state } = paths(slotId);
      await endProcesses(slotId);
      await makeUsable(folderOf(slotId));
      // The state first: it must never describe more than what exists.
      await makeAnew([state, work]);
    },
    async repair(slotId) {
      const { home, work, tmp, caches, state } = paths(slotId);
      await endProcesses(slotId);
      await makeUsable(folderOf(slotId));
      await makeAnew([state, work, tmp]);
      for (const folder of [home, caches]) await makeUsableOrNew(folder);
      await makeMacUsable(folderOf(slotId), paths(slotId));
    },
    async prepare(slotId, sourceKey, signal) {
      if (readRecord(slotId) === null) throw new Error('there is no Mac in this slot');
      await makeMacUsable(folderOf(slotId), paths(slotId), signal);
      // A build may have deleted it.
      folders.marks.write(slotId);
      return openWorkFolder(paths(slotId), sourceKey, { now: clock.now(), signal });
    },
    workFolders: async (slotId) => (readRecord(slotId) === null ? [] : listWorkFolders(paths(slotId))),
    async removeWorkFolder(slotId, name, signal) {
      if (readRecord(slotId) !== null) await removeWorkFolder(paths(slotId), name, signal);
    },
    freeBytes: () => freeBytesOf(dataDir),
    guest: async () => null,
    runs: (slotId) => paths(slotId).runs,
    removeRun: (slotId, name, signal) => removeTree(path.join(paths(slotId).runs, name), signal),
    discardRecord: folders.deleteRecord,
    async saveRecord(slotId, record) {
      const developer_dir = record.xcode === null ? null : await developerDir(applicationsDir, record.xcode);
      folders.writeRecord(slotId, { ...macRecord.parse(record), developer_dir });
    },
    launch(slotId, argv, env, cwd) {
      const [file, ...args] = withSubreaper(argv);
      if (file === undefined) throw new RangeError('nothing to launch');
      const { home, tmp, caches } = paths(slotId);
      const macEnv: Record<string, string> = {
        ...hostEnvironment(),
        HOME: home,
        TMPDIR: tmp,
        XDG_CACHE_HOME: caches,
      };
      const selected = readRecord(slotId)?.developer_dir ?? null;
      if (selected !== null) macEnv.DEVELOPER_DIR = selected;
      return { file, args, env: { ...macEnv, ...env }, cwd };
    },
    signal: (slotId, build, signal) => signalProcesses(belongsToBuild(build, folderOf(slotId)), signal),
  };
}

const noVirtualMachines: Pick<MacDriver, 'start' | 'wantImages' | 'imageFacts' | 'watch'> = {
  start: async () => {},
  wantImages: () => {},
  imageFacts: async () => [],
  watch: () => ({ close: async () => {} }),
};

type Software = Pick<LocalDriver, 'developerDir' | 'selectXcode' | 'installRuntime' | 'installTool'>;

/** Installing and selecting software only checks that it is there. */
function installedSoftware(applicationsDir: string): Software {
  const missing = (what: string) =>
    new NotInstalledError(`${what} is not installed on this host, and the local driver installs nothing`);
  return {
    developerDir: (version) => developerDir(applicationsDir, version),
    async selectXcode(_slotId, version) {
      if ((await developerDir(applicationsDir, version)) === null) throw missing(`Xcode ${version}`);
    },
    async installRuntime(_slotId, name) {
      if (!(await findRuntimes()).includes(name)) throw missing(`The runtime ${name}`);
    },
    async installTool(_slotId, name) {
      if (!(await isCommand(name))) throw missing(`The tool ${name}`);
    },
  };
}

async function developerDir(applicationsDir: string, version: string): Promise<string | null> {
  const xcodes = await findXcodes(applicationsDir);
  return xcodes.find((xcode) => xcode.version === version)?.developer_dir ?? null;
}

async function endMacProcesses(
  folders: LocalFolders,
  slotId: string,
  { clock, killRoundsMs }: { clock: Clock; killRoundsMs: number },
): Promise<void> {
  // Processes are found by their working folder, which must not be looked up through a link that a build has made.
  await folders.makeRoot();
  const { paths, folderOf } = folders;
  const belongs = belongsToMac(paths(slotId).home, folderOf(slotId));
  const left = await killUntilGone(() => signalProcesses(belongs, 'SIGKILL'), clock, killRoundsMs);
  if (left > 0) throw new Error(`${countOf(left, 'process', 'processes')} inside the Mac cannot be ended`);
}
