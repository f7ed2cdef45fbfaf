// Installs a simulator runtime in a guest: from a file that the operator has fetched, or by Xcode's own download.
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { isErrno } from '../../../shared/errno.js';
import { pause } from '../../../shared/pause.js';
import type { GuestTransport } from '../transport.js';
import { type DownloadFailure, downloadFailure, downloadPercent } from './download-output.js';
import { NotInstalledError } from './not-installed.js';
import { matching } from './runtime-list.js';
import { parseRuntimeName, type RuntimeName, runtimeFile } from './runtime-names.js';
import { listRuntimes } from './runtimes.js';
import { selectedDeveloperDir } from './selected.js';
import { sendFile } from './send-file.js';
import { type CommandResult, type GuestShell, openShell, reasonOf, type SoftwareOptions } from './shell.js';

export interface InstallRuntimeOptions extends SoftwareOptions {
  /** Folder of this host with runtimes that the operator has fetched (`xcodebuild -exportPath`). */
  runtimesDir?: string | null;
}

type Percent = (percent: number) => void;

/**
 * Makes a simulator runtime usable in the guest. Idempotent.
 *
 * @param name e.g. `iOS 26.1`, or with a build `iOS 26.1 (23B86)`
 * @throws NotInstalledError when there is no such runtime for the selected Xcode; other errors may pass with time
 * @example await installRuntime(transport, 'iOS 26.1', (percent) => {}, { runtimesDir: '/var/runtimes' })
 */
export async function installRuntime(
  transport: GuestTransport,
  name: string,
  report: Percent,
  options: InstallRuntimeOptions = {},
): Promise<void> {
  const wanted = parseRuntimeName(name);
  if (wanted === null) {
    throw new NotInstalledError(`${name} is not the name of a simulator runtime; write it like "iOS 26.1"`);
  }
  const shell = openShell(transport, options);
  const percent = rising(report);
  if ((await selectedDeveloperDir(shell)) === null) {
    throw new NotInstalledError(`The runtime ${name} cannot be installed: no Xcode is selected in the Mac`);
  }
  // Also starts the simulator service, without which downloads fail.
  const [installed] = matching(await listRuntimes(shell), wanted);
  if (installed?.state === 'Ready') return percent(100);
  const file = options.runtimesDir ? await fetchedFile(options.runtimesDir, wanted) : null;
  if (file !== null) await importRuntime(shell, name, file, percent);
  // It is there already and only being verified or mounted, unless it never becomes ready.
  else if (installed === undefined) await downloadRuntime(shell, name, wanted, percent);
  await untilReady(shell, name, wanted);
  percent(100);
}

/** Reports only increases: an installation counts from 0 again after its download. */
function rising(report: Percent): Percent {
  let most = -1;
  return (percent) => {
    if (percent <= most) return;
    most = percent;
    report(percent);
  };
}

async function fetchedFile(folder: string, wanted: RuntimeName): Promise<string | null> {
  try {
    const file = runtimeFile(await readdir(folder), wanted);
    return file === null ? null : path.join(folder, file);
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return null;
    throw error;
  }
}

/** Shares of the progress: sending the file, importing it. */
const SENDING = 60;
const IMPORTING = 95;

async function importRuntime(shell: GuestShell, name: string, file: string, percent: Percent): Promise<void> {
  const { limits, transport, signal, clock } = shell;
  const sent = await sendFile(transport, file, {
    signal,
    clock,
    timeoutMs: limits.runtimeMs,
    percent: (part) => percent((part * SENDING) / 100),
  });
  try {
    const result = await shell.run(['xcodebuild', '-importPlatform', sent], {
      timeoutMs: limits.runtimeMs,
      stallMs: limits.runtimeMs,
      onLine: (line) => {
        const part = downloadPercent(line);
        if (part !== null) percent(SENDING + (part * (IMPORTING - SENDING)) / 100);
      },
    });
    if (result.status !== 0) throw failed(name, 'imported', result);
  } finally {
    await shell.run(['rm', '-rf', path.posix.dirname(sent)]);
  }
}

async function downloadRuntime(
  shell: GuestShell,
  name: string,
  { platform, version, build }: RuntimeName,
  percent: Percent,
): Promise<void> {
  const { limits, clock, signal } = shell;
  for (let attempt = 1; ; attempt++) {
    const result = await shell.run(['xcodebuild', '-downloadPlatform', platform, '-buildVersion', build ?? version], {
      timeoutMs: limits.runtimeMs,
      stallMs: limits.runtimeStallMs,
      onLine: (line) => {
        const part = downloadPercent(line);
        if (part !== null) percent((part * IMPORTING) / 100);
      },
    });
    if (result.status === 0) return;
    const again = reasonFor(result) === 'no_simulator_service' && attempt < limits.runtimeAttempts;
    if (!again) throw failed(name, 'downloaded', result);
    await pause(clock, limits.runtimeRetryMs, signal);
    await listRuntimes(shell);
  }
}

const reasonFor = ({ stdout, stderr }: CommandResult): DownloadFailure => downloadFailure(`${stderr}\n${stdout}`);

function failed(name: string, action: 'downloaded' | 'imported', result: CommandResult): Error {
  switch (reasonFor(result)) {
    case 'not_available':
      return new NotInstalledError(`Apple offers no runtime ${name} for the selected Xcode`);
    case 'disk_full':
      return new Error(`The runtime ${name} cannot be ${action}: the Mac's disk is full`);
    case 'no_network':
      return new Error(`The runtime ${name} cannot be ${action}: the Mac does not reach Apple (${reasonOf(result)})`);
    default:
      return new Error(`The runtime ${name} cannot be ${action}: ${reasonOf(result)}`);
  }
}

/** A new disk image is verified and mounted before it can be used. */
async function untilReady(shell: GuestShell, name: string, wanted: RuntimeName): Promise<void> {
  const { clock, limits, signal } = shell;
  const end = clock.monotonic() + limits.runtimeReadyMs;
  for (;;) {
    const [runtime] = matching(await listRuntimes(shell), wanted);
    if (runtime?.state === 'Ready') return;
    const state = runtime === undefined ? 'is not listed' : `is in state ${runtime.state}`;
    if (runtime?.state === 'Unusable' || clock.monotonic() >= end) {
      throw new Error(`The runtime ${name} was installed, but it ${state}`);
    }
    await pause(clock, limits.runtimePollMs, signal);
  }
}
