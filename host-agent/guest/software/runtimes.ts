// The simulator runtimes of a guest.
import { type InstalledRuntime, parseAvailableRuntimes, parseRuntimeList } from './runtime-list.js';
import type { CommandResult, GuestShell } from './shell.js';

/**
 * Returns the runtimes that simctl lists, in any state. An Xcode must be selected.
 *
 * Xcode 14 and newer list disk images with their states; older ones, and those that fail at it, only what can be used.
 */
export async function listRuntimes(shell: GuestShell): Promise<InstalledRuntime[]> {
  const images = await shell.run(['xcrun', 'simctl', 'runtime', 'list', '-j']);
  const listed = isSuccess(images) ? parseRuntimeList(images.stdout) : null;
  if (listed !== null) return listed;
  const runtimes = await shell.run(['xcrun', 'simctl', 'list', 'runtimes', '-j']);
  return (isSuccess(runtimes) ? parseAvailableRuntimes(runtimes.stdout) : null) ?? [];
}

const isSuccess = ({ status }: CommandResult) => status === 0;
