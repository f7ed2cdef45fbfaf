// The machine, its macOS, and the process of the agent on it.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isMarked } from '../../driver/slot-marks.js';
import { REMOVED } from '../../driver/slot-names.js';
import {
  asRoot,
  asUser,
  type Check,
  type CheckedHost,
  failed,
  notApplicable,
  ok,
  UnreadableError,
  warning,
} from '../check.js';
import { versionParts } from '../versions.js';

/** @throws UnreadableError */
export async function macosOf({
  run,
}: Pick<CheckedHost, 'run'>): Promise<{ text: string; major: number; minor: number }> {
  const { stdout } = await run('/usr/bin/sw_vers', ['-productVersion']);
  const text = stdout.trim();
  const parts = /^\d/.test(text) ? versionParts(text) : null;
  if (parts === null) throw new UnreadableError('the version of macOS', text);
  return { text, major: parts[0], minor: parts[1] };
}

const macos: Check = {
  ...{ check: 'macos', needs: 'macos', drivers: 'all' },
  name: () => 'macOS',
  why: 'tart and lume run guests on macOS 13 and later; commands in guests without a network need macOS 14.',
  help: 'upgrade macOS',
  async look(host) {
    const { text, major } = await macosOf(host);
    if (host.tool === null || major >= 14) return ok(text);
    const fix = 'Upgrade this machine to macOS 14 or later.';
    return major < 13 ? failed(text, fix) : warning(`${text}: tart exec does not work`, fix);
  },
};

const chip: Check = {
  ...{ check: 'chip', needs: 'macos', drivers: 'all' },
  why: 'Virtual machines with macOS need Apple silicon, and a system that is not itself a guest.',
  help: 'another machine; start the agent without Rosetta',
  async look({ run, tool }) {
    const { stdout } = await run('/usr/sbin/sysctl', [
      ...['machdep.cpu.brand_string', 'hw.optional.arm64', 'kern.hv_support', 'sysctl.proc_translated'],
    ]);
    const values = new Map(
      [...stdout.matchAll(/^([\w.]+): (.*)$/gm)].map(([, name = '', value = '']) => [name, value.trim()]),
    );
    const brand = values.get('machdep.cpu.brand_string');
    if (brand === undefined) throw new UnreadableError('the chip', stdout);
    if (tool === null) return ok(brand);
    if (values.get('hw.optional.arm64') !== '1') {
      return failed(brand, `${tool.kind} needs a Mac with Apple silicon: use the driver local here.`);
    }
    if (values.get('sysctl.proc_translated') === '1') {
      return warning(
        `${brand}, under Rosetta`,
        'Install the agent’s package for darwin-arm64, which brings its own Node.',
      );
    }
    if (values.get('kern.hv_support') === '0') {
      return failed(
        `${brand}, without virtualization`,
        'This system is a virtual machine itself: use the driver local here.',
      );
    }
    return ok(brand);
  },
};

const user: Check = {
  ...{ check: 'user', needs: 'any', drivers: 'all' },
  why: 'As root, macOS 15 and later start no guests; builds of the local driver would be root.',
  help: 'run the agent as a user without privileges (`host-agent install --user`)',
  async look({ user, tool, isDaemon, dataDir }) {
    if (user.uid !== 0) return ok(`${user.name} (${user.uid})`);
    if (!isDaemon) {
      // Without the folder the advice names no user.
      const owner = (await stat(dataDir).catch(() => null))?.uid ?? 0;
      return warning(
        'root: the checks of login, keychain and session are left out',
        `Run the doctor as the agent’s user too: sudo -u ${owner === 0 ? 'USER' : `'#${owner}'`} cidermill host-agent doctor`,
      );
    }
    const fix = 'Run the agent as a user without privileges: sudo cidermill host-agent install --user USER';
    if (tool !== null) return failed('root: guests with macOS 15 and later do not start', fix);
    return warning('root: builds of the local driver are root too', fix);
  },
};

const dataFolder: Check = {
  ...{ check: 'data_folder', needs: 'any', drivers: 'all' },
  why: 'It holds the credential of this host. Other users must not read it, and the agent has to write to it.',
  help: '`chmod 700`, `chown`',
  async look({ dataDir, user }) {
    const found = await stat(dataDir).catch((error: NodeJS.ErrnoException) => error);
    if (found instanceof Error) {
      if (found.code === 'ENOENT')
        return notApplicable(`${dataDir} does not exist: this machine is not enrolled`);
      return failed(`${dataDir}: ${found.message}`, 'Run the doctor as the agent’s user, or as root.');
    }
    if (!found.isDirectory())
      return failed(`${dataDir} is not a folder`, 'Name the right folder with --data.');
    if (user.uid !== 0 && found.uid !== user.uid) {
      return failed(
        `${dataDir} belongs to the user ${found.uid}, this process to ${user.uid}`,
        `Run it as the folder’s user (sudo -u '#${found.uid}' cidermill host-agent doctor), or give the folder to this one (sudo chown -R ${user.uid}).`,
      );
    }
    const mode = (found.mode & 0o777).toString(8);
    if ((found.mode & 0o077) === 0) return ok(`${dataDir}, mode ${mode}`);
    return warning(`${dataDir}, mode ${mode}: other users can look into it`, [
      asUser('/bin/chmod', '700', dataDir),
    ]);
  },
};

const macsFolder: Check = {
  ...{ check: 'macs_folder', needs: 'any', drivers: 'all' },
  why: 'It has one folder for each Mac. The agent neither uses nor deletes what is no folder of a Mac, and it takes disk space.',
  help: 'Move it elsewhere, or delete it.',
  async look({ dataDir }) {
    const folder = join(dataDir, 'macs');
    const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    const strange = names.filter((name) => !isExpected(folder, name)).sort();
    if (strange.length === 0) return ok('only folders of Macs');
    const shown = strange.slice(0, MOST_NAMES).join(', ');
    const more = strange.length > MOST_NAMES ? ` and ${strange.length - MOST_NAMES} more` : '';
    return warning(
      `${folder} has what belongs to no Mac: ${shown}${more}`,
      'Move it elsewhere, or delete it.',
    );
  },
};

const MOST_NAMES = 5;
/** The Finder makes `.DS_Store` in each folder that it shows. */
const isExpected = (folder: string, name: string) =>
  isMarked(folder, name) || name.startsWith(REMOVED) || name === '.DS_Store';

/** As in the property list of `host-agent install`; builds in many simulators need more than the usual 256. */
const FEW_FILES = 10_240;

const openFiles: Check = {
  ...{ check: 'open_files', needs: 'any', drivers: 'all' },
  why: 'Builds and simulators open thousands of files; a job of launchd may open 256 unless its property list says more.',
  help: '`sudo launchctl limit maxfiles 65536 524288`; `host-agent install` writes the limit into the property list',
  async look({ openFiles, isMac, run }) {
    const own = await openFiles();
    const raise = [asRoot('/bin/launchctl', 'limit', 'maxfiles', '65536', '524288')];
    if (isMac) {
      const { stdout } = await run('/bin/launchctl', ['limit', 'maxfiles']);
      const hard = /maxfiles\s+\S+\s+(\d+|unlimited)/.exec(stdout)?.[1];
      if (hard === undefined) throw new UnreadableError('launchctl limit maxfiles', stdout);
      if (hard !== 'unlimited' && Number(hard) < FEW_FILES) return warning(`launchd allows ${hard}`, raise);
    }
    if (own === null || own >= FEW_FILES) return ok(own === null ? 'not limited' : String(own));
    return warning(
      `${own} for this process`,
      isMac
        ? 'Install the agent again, which sets the limit of its job: sudo cidermill host-agent install'
        : `Raise the limit for the agent: ulimit -n ${FEW_FILES}`,
    );
  },
};

export const machineChecks = [macos, chip, user, dataFolder, macsFolder, openFiles] as const;
