// A "Mac" that is a folder of this host with its own home, work folder, caches and TMPDIR. It gives order, not
// isolation: builds run as the agent's own user and can read whatever that user can. Hosts of strangers need VMs.
import { lstatSync } from 'node:fs';
import { access, constants, mkdir, readdir, rename, statfs } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { type Clock, systemClock } from '../../shared/clock.js';
import { countOf } from '../../shared/count.js';
import type { Inventory } from '../../shared/protocol/index.js';
import { defaultBuildLimits } from '../limits.js';
import { isErrno, readJson, writeDurably } from '../system/durable-file.js';
import { removeTree } from '../system/remove-tree.js';
import { withSubreaper } from '../system/subreaper.js';
import { type DriverSpec, type MacDriver, type MacPaths, macRecord, NotInstalledError } from './driver.js';
import { killUntilGone } from './kill-until-gone.js';
import { belongsToBuild, belongsToMac, signalProcesses } from './local-processes.js';
import { makeAnew, makeMacUsable, makeUsable, makeUsableOrNew } from './mac-folders.js';
import { findRuntimes } from './runtimes.js';
import { listWorkFolders, openWorkFolder, removeWorkFolder } from './work-folders.js';
import { findXcodes } from './xcodes.js';

// Written last when a Mac is made: a folder without it is one that was never finished.
const localRecord = z.object({
  ...macRecord.shape,
  /** Of the selected Xcode: what builds get unless they choose another one. */
  developer_dir: z.string().nullable().default(null),
});

/** What is being removed of a slot has this before its name. */
const REMOVED = '.removed-';
const SLOT_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/;

/**
 * The driver for hosts of one's own, and for development. It installs nothing: what is asked for must be there.
 *
 * @param options.dataDir Macs are kept in `macs/<slot_id>/` below it
 * @param options.applicationsDir where Xcodes are looked for (`/Applications`)
 * @example
 * const driver = createLocalDriver({ dataDir: '/var/lib/cidermill' });
 * await driver.create({ slot_id: 's1', image: null }, () => {});
 * (await driver.prepare('s1', 'upload:ws_1:app')).work; // /var/lib/cidermill/macs/s1/work/5d1c…
 */
export function createLocalDriver(options: {
  dataDir: string;
  applicationsDir?: string;
  clock?: Clock;
  /** How long killing is repeated before it is given up, ms. */
  killRoundsMs?: number;
}): MacDriver {
  const { clock = systemClock, killRoundsMs = defaultBuildLimits.killRoundsMs } = options;
  const macsDir = path.join(path.resolve(options.dataDir), 'macs');
  const applicationsDir = options.applicationsDir ?? '/Applications';
  const spec: DriverSpec = {
    kind: 'local',
    data_dir: path.resolve(options.dataDir),
    applications_dir: applicationsDir,
  };
  const folderOf = (slotId: string) => {
    if (!SLOT_NAME.test(slotId))
      throw new RangeError(`slot id ${JSON.stringify(slotId)} cannot name a folder`);
    return path.join(macsDir, slotId);
  };
  const recordFile = (slotId: string) => path.join(folderOf(slotId), 'mac.json');
  const recordOf = (slotId: string) => {
    // Behind a link, and with anything but a file that can be read, there is no Mac.
    if (!lstatSync(macsDir, { throwIfNoEntry: false })?.isDirectory()) return null;
    if (!lstatSync(folderOf(slotId), { throwIfNoEntry: false })?.isDirectory()) return null;
    try {
      const file = recordFile(slotId);
      if (!lstatSync(file, { throwIfNoEntry: false })?.isFile()) return null;
      return localRecord.safeParse(readJson(file)).data ?? null;
    } catch (error) {
      if (isErrno(error, 'EACCES') || isErrno(error, 'ENOENT')) return null;
      throw error;
    }
  };
  const paths = (slotId: string): MacPaths => {
    const folder = folderOf(slotId);
    return {
      home: path.join(folder, 'home'),
      work: path.join(folder, 'work'),
      tmp: path.join(folder, 'tmp'),
      caches: path.join(folder, 'caches'),
      state: path.join(folder, 'state'),
    };
  };
  const developerDir = async (version: string) =>
    (await findXcodes(applicationsDir)).find((xcode) => xcode.version === version)?.developer_dir ?? null;

  /** Removes a link or a file that a build has put in place of the folder of all Macs: nothing is done through it. */
  const removeIfNotFolder = async () => {
    const found = lstatSync(macsDir, { throwIfNoEntry: false });
    if (found && !found.isDirectory()) await removeTree(macsDir);
  };
  const makeMacsDir = async () => {
    await removeIfNotFolder();
    await mkdir(macsDir, { recursive: true, mode: 0o700 });
  };

  const endProcesses = async (slotId: string) => {
    const belongs = belongsToMac(paths(slotId).home, folderOf(slotId));
    const left = await killUntilGone(() => signalProcesses(belongs, 'SIGKILL'), clock, killRoundsMs);
    if (left > 0) throw new Error(`${countOf(left, 'process', 'processes')} inside the Mac cannot be ended`);
  };

  const remove = async (slotId: string) => {
    await removeIfNotFolder();
    const folder = folderOf(slotId);
    await endProcesses(slotId);
    // Away under another name first, so that no half-removed Mac is ever taken for one.
    const aside = path.join(macsDir, REMOVED + slotId);
    await removeTree(aside);
    try {
      await rename(folder, aside);
    } catch (error) {
      if (!isErrno(error, 'ENOENT')) throw error;
    }
    await removeTree(aside);
  };

  const missing = (what: string) =>
    new NotInstalledError(`${what} is not installed on this host, and the local driver installs nothing`);

  return {
    kind: 'local',
    spec,
    paths,
    developerDir,
    async inventory() {
      return inventoryOf(options.dataDir, await findXcodes(applicationsDir));
    },
    async listMacs() {
      await removeIfNotFolder();
      const names = await listOrNothing(macsDir);
      const leftovers = names.filter((name) => name.startsWith(REMOVED));
      const broken = new Set(leftovers.map((name) => name.slice(REMOVED.length)));
      const slots = new Set([...names, ...broken].filter((name) => SLOT_NAME.test(name)));
      return [...slots].sort().map((slot_id) => {
        const found = broken.has(slot_id) ? null : recordOf(slot_id);
        return { slot_id, record: found && macRecord.parse(found) };
      });
    },
    async create({ slot_id }) {
      await makeMacsDir();
      for (const folder of Object.values(paths(slot_id))) {
        await mkdir(folder, { recursive: true, mode: 0o700 });
      }
    },
    remove,
    async emptyWork(slotId) {
      const { work, state } = paths(slotId);
      await endProcesses(slotId);
      await makeMacsDir();
      await makeUsable(folderOf(slotId));
      // What is remembered of the folders goes first: it never says more than what is there.
      await makeAnew([state, work]);
    },
    async repair(slotId) {
      const { home, work, tmp, caches, state } = paths(slotId);
      await endProcesses(slotId);
      await makeMacsDir();
      await makeUsable(folderOf(slotId));
      await makeAnew([state, work, tmp]);
      for (const folder of [home, caches]) await makeUsableOrNew(folder);
      await makeMacUsable(folderOf(slotId), paths(slotId));
    },
    async prepare(slotId, sourceKey, signal) {
      if (recordOf(slotId) === null) throw new Error('the Mac is not there');
      await makeMacUsable(folderOf(slotId), paths(slotId), signal);
      return openWorkFolder(paths(slotId), sourceKey, { now: clock.now(), signal });
    },
    workFolders: async (slotId) => (recordOf(slotId) === null ? [] : listWorkFolders(paths(slotId))),
    async removeWorkFolder(slotId, name, signal) {
      if (recordOf(slotId) !== null) await removeWorkFolder(paths(slotId), name, signal);
    },
    freeBytes: () => freeBytesOf(options.dataDir),
    async selectXcode(_slotId, version) {
      if ((await developerDir(version)) === null) throw missing(`Xcode ${version}`);
    },
    async installRuntime(_slotId, name) {
      if (!(await findRuntimes()).includes(name)) throw missing(`The runtime ${name}`);
    },
    async installTool(_slotId, name) {
      if (!(await isCommand(name))) throw missing(`The tool ${name}`);
    },
    async saveRecord(slotId, record) {
      const developer_dir = record.xcode === null ? null : await developerDir(record.xcode);
      writeDurably(recordFile(slotId), JSON.stringify({ ...macRecord.parse(record), developer_dir }));
    },
    launch(slotId, argv, env, cwd) {
      const [file, ...args] = withSubreaper(argv);
      if (file === undefined) throw new RangeError('nothing to launch');
      const { home, tmp, caches } = paths(slotId);
      const own = { ...hostEnvironment(), HOME: home, TMPDIR: tmp, XDG_CACHE_HOME: caches };
      const developerDir = recordOf(slotId)?.developer_dir ?? null;
      if (developerDir !== null) Object.assign(own, { DEVELOPER_DIR: developerDir });
      return { file, args, env: { ...own, ...env }, cwd };
    },
    signal: (slotId, build, signal) => signalProcesses(belongsToBuild(build, folderOf(slotId)), signal),
  };
}

/** What a login on this host would have; nothing of the agent's own configuration. */
function hostEnvironment(): Record<string, string> {
  const { username } = os.userInfo();
  return {
    PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
    LANG: process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8',
    SHELL: '/bin/bash',
    USER: username,
    LOGNAME: username,
  };
}

const COMMAND_NAME = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,99}$/;

/** Whether a build would find a program of that name. */
async function isCommand(name: string): Promise<boolean> {
  if (!COMMAND_NAME.test(name)) return false;
  for (const folder of (hostEnvironment().PATH ?? '').split(path.delimiter)) {
    if (!path.isAbsolute(folder)) continue;
    const found = await access(path.join(folder, name), constants.X_OK).then(
      () => true,
      () => false,
    );
    if (found) return true;
  }
  return false;
}

async function listOrNothing(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return [];
    throw error;
  }
}

async function freeBytesOf(dataDir: string): Promise<number> {
  const disk = await statfs(path.resolve(dataDir));
  return disk.bavail * disk.bsize;
}

async function inventoryOf(dataDir: string, xcodes: Inventory['xcodes']): Promise<Inventory> {
  return {
    hostname: os.hostname(),
    os: `${os.type()} ${os.release()}`,
    arch: os.arch(),
    cpu_cores: os.availableParallelism(),
    memory_bytes: os.totalmem(),
    disk_free_bytes: await freeBytesOf(dataDir),
    driver: 'local',
    xcodes,
  };
}
