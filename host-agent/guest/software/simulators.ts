// The simulators of a guest, and the service that runs them.
import { selectedDeveloperDir } from './selected.js';
import type { GuestShell } from './shell.js';

const SERVICE = 'com.apple.CoreSimulator.CoreSimulatorService';

/** Shuts all simulators down. A failure shows when they are used. */
export async function shutDownSimulators(shell: GuestShell): Promise<void> {
  await shell.run(['xcrun', 'simctl', 'shutdown', 'all'], { timeoutMs: shell.limits.xcodeStepMs });
}

/**
 * Ends the simulator service, which launchd starts again when it is used: it keeps the frameworks of the Xcode that was
 * selected when it started, and its list of devices in memory.
 */
export async function restartSimulatorService(shell: GuestShell): Promise<void> {
  // Exit status 1: it does not run.
  await shell.run(['killall', '-9', SERVICE]);
}

/**
 * Deletes what is in all simulators. Returns false when simctl cannot do that, for example because a tenant has selected
 * something that is no Xcode. Without developer tools there is nothing to do.
 */
export async function eraseSimulators(shell: GuestShell): Promise<boolean> {
  if ((await selectedDeveloperDir(shell)) === null) return true;
  await shutDownSimulators(shell);
  const erase = () => shell.run(['xcrun', 'simctl', 'erase', 'all'], { timeoutMs: shell.limits.xcodeStepMs });
  if ((await erase()).status === 0) return true;
  // The service may not have noticed that a simulator has ended.
  await restartSimulatorService(shell);
  await shutDownSimulators(shell);
  return (await erase()).status === 0;
}
