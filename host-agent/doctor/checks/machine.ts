// The machine, its macOS, and the process of the agent on it.

import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { findingFix } from '../../../shared/messages/finding-fixes.js';
import { finding } from '../../../shared/messages/findings.js';
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
  check: 'macos',
  needs: 'macos',
  drivers: 'all',
  name: () => 'macOS',
  why: 'tart and lume run guests on macOS 13 and later; commands in guests without a network need macOS 14.',
  help: 'upgrade macOS',
  async look(host) {
    const { text, major } = await macosOf(host);
    if (host.tool === null || major >= 14) return ok(text);
    const fix = findingFix('upgrade_macos', { major: 14 });
    return major < 13 ? failed(text, fix) : warning(finding('no_tart_exec', { macos: text }), fix);
  },
};

const chip: Check = {
  check: 'chip',
  needs: 'macos',
  drivers: 'all',
  why: 'Virtual machines with macOS need Apple silicon, and a system that is not itself a guest.',
  help: 'another machine; start the agent without Rosetta',
  async look({ run, tool }) {
    const { stdout } = await run('/usr/sbin/sysctl', [
      'machdep.cpu.brand_string',
      'hw.optional.arm64',
      'kern.hv_support',
      'sysctl.proc_translated',
    ]);
    const values = new Map(
      [...stdout.matchAll(/^([\w.]+): (.*)$/gm)].map(([, name = '', value = '']) => [name, value.trim()]),
    );
    const brand = values.get('machdep.cpu.brand_string');
    if (brand === undefined) throw new UnreadableError('the chip', stdout);
    if (tool === null) return ok(brand);
    if (values.get('hw.optional.arm64') !== '1') {
      return failed(brand, findingFix('needs_apple_silicon', { tool: tool.kind }));
    }
    if (values.get('sysctl.proc_translated') === '1') {
      return warning(finding('under_rosetta', { chip: brand }), findingFix('install_arm_package'));
    }
    if (values.get('kern.hv_support') === '0') {
      return failed(finding('no_virtualization', { chip: brand }), findingFix('is_virtual_machine'));
    }
    return ok(brand);
  },
};

const user: Check = {
  check: 'user',
  needs: 'any',
  drivers: 'all',
  why: 'An agent that runs as root cannot start guests on macOS 15 and later; builds of the local driver would run as root.',
  help: 'run the agent as a user without privileges (`host-agent install --user`)',
  async look({ user, tool, isDaemon, dataDir }) {
    if (user.uid !== 0) return ok(`${user.name} (${user.uid})`);
    if (!isDaemon) {
      // Without the folder the advice names no user.
      const owner = (await stat(dataDir).catch(() => null))?.uid ?? 0;
      return warning(
        finding('root_checks_left_out'),
        findingFix('run_as_agent_too', {
          command: `sudo -u ${owner === 0 ? 'USER' : `'#${owner}'`} cidermill host-agent doctor`,
        }),
      );
    }
    const fix = findingFix('run_unprivileged', { command: 'sudo cidermill host-agent install --user USER' });
    if (tool !== null) return failed(finding('root_no_guests'), fix);
    return warning(finding('root_builds'), fix);
  },
};

const dataFolder: Check = {
  check: 'data_folder',
  needs: 'any',
  drivers: 'all',
  why: 'The data folder has the credential of this host. Other users must not read it, and the agent has to write to it.',
  help: '`chmod 700`, `chown`',
  async look({ dataDir, user }) {
    const found = await stat(dataDir).catch((error: NodeJS.ErrnoException) => error);
    if (found instanceof Error) {
      if (found.code === 'ENOENT') return notApplicable(`${dataDir} does not exist: this machine is not enrolled`);
      return failed(`${dataDir}: ${found.message}`, findingFix('run_as_agent_or_root'));
    }
    if (!found.isDirectory())
      return failed(finding('not_a_folder', { folder: dataDir }), findingFix('name_data_folder'));
    if (user.uid !== 0 && found.uid !== user.uid) {
      return failed(
        finding('folder_of_other_user', { folder: dataDir, owner: found.uid, user: user.uid }),
        findingFix('change_owner', {
          run: `sudo -u '#${found.uid}' cidermill host-agent doctor`,
          give: `sudo chown -R ${user.uid}`,
        }),
      );
    }
    const mode = (found.mode & 0o777).toString(8);
    if ((found.mode & 0o077) === 0) return ok(finding('folder_mode', { folder: dataDir, mode }));
    return warning(finding('folder_open_to_others', { folder: dataDir, mode }), [asUser('/bin/chmod', '700', dataDir)]);
  },
};

const macsFolder: Check = {
  check: 'macs_folder',
  needs: 'any',
  drivers: 'all',
  why: 'The folder `macs` has one folder for each Mac. The agent neither uses nor deletes other entries, which take disk space.',
  help: 'move the other entries elsewhere, or delete them',
  async look({ dataDir }) {
    const folder = join(dataDir, 'macs');
    const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    const strange = names.filter((name) => !isExpected(folder, name)).sort();
    if (strange.length === 0) return ok(finding('only_macs'));
    const shown = strange.slice(0, MOST_NAMES).join(', ');
    const more = Math.max(0, strange.length - MOST_NAMES);
    return warning(finding('not_only_macs', { folder, names: shown, more }), findingFix('move_or_delete'));
  },
};

const MOST_NAMES = 5;
/** The Finder makes `.DS_Store` in each folder that it shows. */
const isExpected = (folder: string, name: string) =>
  isMarked(folder, name) || name.startsWith(REMOVED) || name === '.DS_Store';

/** As in the property list of `host-agent install`; builds in many simulators need more than the usual 256. */
const FEW_FILES = 10_240;

const openFiles: Check = {
  check: 'open_files',
  needs: 'any',
  drivers: 'all',
  why: 'Builds and simulators open thousands of files; a job of launchd may open 256 unless its property list says more.',
  help: '`sudo launchctl limit maxfiles 65536 524288`; `host-agent install` writes the limit into the property list',
  async look({ openFiles, isMac, run }) {
    const own = await openFiles();
    const raise = [asRoot('/bin/launchctl', 'limit', 'maxfiles', '65536', '524288')];
    if (isMac) {
      const { stdout } = await run('/bin/launchctl', ['limit', 'maxfiles']);
      const hard = /maxfiles\s+\S+\s+(\d+|unlimited)/.exec(stdout)?.[1];
      if (hard === undefined) throw new UnreadableError('launchctl limit maxfiles', stdout);
      if (hard !== 'unlimited' && Number(hard) < FEW_FILES)
        return warning(finding('launchd_files', { files: Number(hard) }), raise);
    }
    if (own === null || own >= FEW_FILES) return ok(own === null ? finding('files_not_limited') : String(own));
    return warning(
      finding('process_files', { files: own }),
      isMac
        ? findingFix('install_again', { command: 'sudo cidermill host-agent install' })
        : findingFix('raise_file_limit', { command: `ulimit -n ${FEW_FILES}` }),
    );
  },
};

export const machineChecks = [macos, chip, user, dataFolder, macsFolder, openFiles] as const;
