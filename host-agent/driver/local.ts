// A "Mac" that is a folder of this host with its own home, work folder, caches and TMPDIR. It gives order, not
// isolation: builds run as the agent's own user and can read whatever that user can. Hosts of strangers need VMs.
import { mkdir, readdir, rename, statfs } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { type Clock, systemClock } from '../../shared/clock.js';
import type { DesiredMac, Inventory, MacFact } from '../../shared/protocol/index.js';
import { isErrno, readJson, writeDurably } from '../durable-file.js';
import { defaultBuildLimits } from '../limits.js';
import { removeTree } from '../remove-tree.js';
import type { DriverSpec, MacDriver, MacPaths } from './driver.js';
import { killUntilGone } from './kill-until-gone.js';
import { belongsToBuild, belongsToMac, signalProcesses } from './local-processes.js';
import { findXcodes } from './xcodes.js';

// Written last when a Mac is made: a folder without it is one that was never finished.
const macRecord = z.object({
  rental_id: z.string(),
  account_id: z.int(),
  generation: z.int().min(0),
  xcode: z.string().nullable(),
});

const SLOT_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/;

/**
 * The driver for hosts of one's own, and for development.
 *
 * @param options.dataDir Macs are kept in `macs/<slot_id>/` below it
 * @param options.applicationsDir where Xcodes are looked for (`/Applications`)
 * @example
 * const driver = createLocalDriver({ dataDir: '/var/lib/cidermill' });
 * await driver.ensure({ slot_id: 's1', rental_id: 'rt_1', account_id: 1, generation: 1, xcode: null });
 * driver.paths('s1').work; // /var/lib/cidermill/macs/s1/work
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
  const busy = new Map<string, Promise<void>>();

  const folderOf = (slotId: string) => {
    if (!SLOT_NAME.test(slotId))
      throw new RangeError(`slot id ${JSON.stringify(slotId)} cannot name a folder`);
    return path.join(macsDir, slotId);
  };
  const recordFile = (slotId: string) => path.join(folderOf(slotId), 'mac.json');
  const recordOf = (slotId: string) => macRecord.safeParse(readJson(recordFile(slotId))).data ?? null;
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

  /** One change of a slot at a time, in the order asked for. */
  const inTurn = (slotId: string, change: () => Promise<void>): Promise<void> => {
    const mine = (busy.get(slotId) ?? Promise.resolve()).then(change, change);
    busy.set(slotId, mine);
    return mine.finally(() => busy.get(slotId) === mine && busy.delete(slotId));
  };

  const clear = async (slotId: string) => {
    const folder = folderOf(slotId);
    const belongs = belongsToMac(paths(slotId).home, folder);
    const left = await killUntilGone(() => signalProcesses(belongs, 'SIGKILL'), clock, killRoundsMs);
    if (left > 0) throw new Error(`${left} processes inside the Mac cannot be ended`);
    // Away under another name first, so that no half-removed Mac is ever taken for one.
    const aside = path.join(macsDir, `.removed-${slotId}`);
    await removeTree(aside);
    try {
      await rename(folder, aside);
    } catch (error) {
      if (!isErrno(error, 'ENOENT')) throw error;
    }
    await removeTree(aside);
  };

  const make = async (mac: DesiredMac) => {
    if (mac.xcode !== null && (await developerDir(mac.xcode)) === null) {
      throw new Error(`Xcode ${mac.xcode} is not installed on this host`);
    }
    const had = recordOf(mac.slot_id);
    if (had?.generation !== mac.generation || had.rental_id !== mac.rental_id) await clear(mac.slot_id);
    for (const folder of Object.values(paths(mac.slot_id)))
      await mkdir(folder, { recursive: true, mode: 0o700 });
    writeDurably(recordFile(mac.slot_id), JSON.stringify(macRecord.parse(mac)));
  };

  return {
    kind: 'local',
    spec,
    paths,
    developerDir,
    async inventory() {
      return inventoryOf(options.dataDir, await findXcodes(applicationsDir));
    },
    async facts() {
      const facts: MacFact[] = [];
      for (const slotId of await slotsIn(macsDir)) {
        const record = recordOf(slotId);
        facts.push({
          slot_id: slotId,
          rental_id: record?.rental_id ?? null,
          generation: record?.generation ?? 0,
          state: record ? 'ready' : 'preparing',
          xcode: record?.xcode ?? null,
          error: null,
        });
      }
      return facts;
    },
    ensure: (mac) => inTurn(mac.slot_id, () => make(mac)),
    remove: (slotId) => inTurn(slotId, () => clear(slotId)),
    launch(slotId, argv, env, cwd) {
      const [file, ...args] = argv;
      if (file === undefined) throw new RangeError('nothing to launch');
      const { home, tmp, caches } = paths(slotId);
      const own = { ...hostEnvironment(), HOME: home, TMPDIR: tmp, XDG_CACHE_HOME: caches };
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

async function slotsIn(macsDir: string): Promise<string[]> {
  try {
    return (await readdir(macsDir)).filter((name) => SLOT_NAME.test(name)).sort();
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return [];
    throw error;
  }
}

async function inventoryOf(dataDir: string, xcodes: Inventory['xcodes']): Promise<Inventory> {
  const disk = await statfs(path.resolve(dataDir));
  return {
    hostname: os.hostname(),
    os: `${os.type()} ${os.release()}`,
    arch: os.arch(),
    cpu_cores: os.availableParallelism(),
    memory_bytes: os.totalmem(),
    disk_free_bytes: disk.bavail * disk.bsize,
    driver: 'local',
    xcodes,
  };
}
