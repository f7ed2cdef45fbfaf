// Switches a guest to another Xcode.

import type { GuestTransport } from '../transport.js';
import { NotInstalledError } from './not-installed.js';
import { selectedDeveloperDir } from './selected.js';
import { type GuestShell, openShell, reasonOf, type SoftwareOptions } from './shell.js';
import { restartSimulatorService, shutDownSimulators } from './simulators.js';
import { type GuestXcode, listXcodes, runsOn, xcodeOf } from './xcodes.js';

/**
 * Selects the Xcode for everything in the guest, accepts its license, finishes its first launch, and checks that it is
 * the one that runs. Idempotent. After an error other than NotInstalledError either Xcode may be selected: call it again
 * with the one that should be.
 *
 * @throws NotInstalledError before anything has changed, when the guest has no such Xcode or it needs a newer macOS
 * @example await selectXcode(transport, '26.1')
 */
export async function selectXcode(
  transport: GuestTransport,
  version: string,
  options: SoftwareOptions = {},
): Promise<GuestXcode> {
  const shell = openShell(transport, options);
  const xcode = await findXcode(shell, version);
  const long = { timeoutMs: shell.limits.xcodeStepMs };
  const selected = await selectedDeveloperDir(shell);
  if (selected !== xcode.developerDir) {
    // Running simulators use the service of the Xcode that started them.
    if (selected !== null) await shutDownSimulators(shell);
    await shell.must(`Xcode ${version} cannot be selected`, ['sudo', '-n', 'xcode-select', '-s', xcode.developerDir]);
    await restartSimulatorService(shell);
  }
  // Until its license is accepted, every tool of an Xcode ends with 69.
  await shell.must(
    `the license of Xcode ${version} cannot be accepted`,
    ['sudo', '-n', 'xcodebuild', '-license', 'accept'],
    long,
  );
  if ((await shell.run(['xcodebuild', '-checkFirstLaunchStatus'], long)).status !== 0) {
    await shell.must(
      `the first launch of Xcode ${version} failed`,
      ['sudo', '-n', 'xcodebuild', '-runFirstLaunch'],
      long,
    );
  }
  await checkSelected(shell, xcode);
  return xcode;
}

async function findXcode(shell: GuestShell, version: string): Promise<GuestXcode> {
  const xcodes = await listXcodes(shell.transport, {
    timeoutMs: shell.limits.commandMs,
    signal: shell.signal,
  });
  const xcode = xcodeOf(xcodes, version);
  if (xcode === null) {
    const installed = [...new Set(xcodes.map((one) => one.version))].join(', ');
    const has = installed === '' ? 'there is no Xcode in it' : `it has ${installed}`;
    throw new NotInstalledError(`Xcode ${version} is not installed in the Mac's image: ${has}`);
  }
  if (xcode.minimumMacos === null) return xcode;
  const { stdout } = await shell.must('the version of macOS is unknown', ['sw_vers', '-productVersion']);
  const macos = stdout.trim();
  if (/^\d/.test(macos) && !runsOn(xcode, macos)) {
    const needs = `macOS ${xcode.minimumMacos}; the Mac's image has ${macos.slice(0, 20)}`;
    throw new NotInstalledError(`Xcode ${version} needs ${needs}`);
  }
  return xcode;
}

async function checkSelected(shell: GuestShell, xcode: GuestXcode): Promise<void> {
  const selected = await selectedDeveloperDir(shell);
  if (selected !== xcode.developerDir) {
    throw new Error(`Xcode ${xcode.version} was selected, but the selected folder is ${shown(selected)}`);
  }
  const result = await shell.run(['xcodebuild', '-version'], { timeoutMs: shell.limits.xcodeStepMs });
  if (result.status !== 0) throw new Error(`Xcode ${xcode.version} does not run: ${reasonOf(result)}`);
  const [, version] = /^Xcode ([\d.]+)/m.exec(result.stdout) ?? [];
  const [, build = null] = /^Build version (\S+)/m.exec(result.stdout) ?? [];
  if (version !== xcode.version || (xcode.build !== null && build !== xcode.build)) {
    const runs = `${version ?? 'an unknown version'} (${build ?? 'unknown build'})`;
    const meant = xcode.build === null ? xcode.version : `${xcode.version} (${xcode.build})`;
    throw new Error(`Xcode ${meant} was selected, but ${shown(runs)} runs`);
  }
}

const shown = (text: string | null) => (text ?? 'none').replace(/\p{C}/gu, ' ').slice(0, 200);
