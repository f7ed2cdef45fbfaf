// The developer tools that are selected in a guest. Without any, commands of Xcode show a dialog instead of failing.
import type { GuestShell } from './shell.js';

/** Returns the selected developer folder; null when none is selected. */
export async function selectedDeveloperDir(shell: GuestShell): Promise<string | null> {
  const { status, stdout } = await shell.run(['xcode-select', '-p']);
  return status === 0 ? stdout.trim() : null;
}
