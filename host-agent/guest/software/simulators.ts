// The simulators of a guest, and the service that runs them.
import { type GuestShell, reasonOf } from './shell.js';

const SERVICE = 'com.apple.CoreSimulator.CoreSimulatorService';

/** Shuts all simulators down. Without Xcode there are none; a failure shows when the simulators are used. */
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

/** Deletes what is in all simulators. Does nothing without Xcode. */
export async function eraseSimulators(shell: GuestShell): Promise<void> {
  if ((await shell.run(['xcrun', '--find', 'simctl'])).status !== 0) return;
  await shutDownSimulators(shell);
  const erase = () => shell.run(['xcrun', 'simctl', 'erase', 'all'], { timeoutMs: shell.limits.xcodeStepMs });
  let result = await erase();
  if (result.status !== 0) {
    // The service may not have noticed that a simulator has ended.
    await restartSimulatorService(shell);
    await shutDownSimulators(shell);
    result = await erase();
  }
  if (result.status !== 0) throw new Error(`the simulators cannot be erased: ${reasonOf(result)}`);
}
