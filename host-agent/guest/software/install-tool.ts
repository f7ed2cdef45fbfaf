// Installs a tool in a guest with Homebrew.
import type { GuestTransport } from '../transport.js';
import { BREW_ENV, brewFailure, createBrewProgress, isToolName } from './brew-output.js';
import { NotInstalledError } from './not-installed.js';
import { openShell, reasonOf, type SoftwareOptions } from './shell.js';
import { hasCommand } from './tools.js';

/**
 * Makes a tool usable in the guest: a command that is there, or a formula or cask of Homebrew. Idempotent.
 *
 * @throws NotInstalledError when there is no such tool, or no Homebrew in the image; other errors may pass with time
 * @example await installTool(transport, 'swiftlint', (percent) => {})
 */
export async function installTool(
  transport: GuestTransport,
  name: string,
  percent: (percent: number) => void,
  options: SoftwareOptions = {},
): Promise<void> {
  if (!isToolName(name)) throw new NotInstalledError(`${name} is not the name of a tool that Homebrew can install`);
  const shell = openShell(transport, options);
  if (await hasCommand(shell, name)) return percent(100);
  const listed = await shell.run(['brew', 'list', '--versions', name], { env: BREW_ENV });
  if (listed.status === 127) {
    throw new NotInstalledError(`The tool ${name} cannot be installed: the Mac's image has no Homebrew`);
  }
  if (listed.status === 0) return percent(100);
  const progress = createBrewProgress();
  const result = await shell.run(['brew', 'install', name], {
    env: BREW_ENV,
    timeoutMs: shell.limits.toolMs,
    stallMs: shell.limits.toolStallMs,
    onLine: (line) => percent(progress.read(line)),
  });
  if (result.status === 0) return percent(100);
  const { kind, similar } = brewFailure(`${result.stderr}\n${result.stdout}`);
  switch (kind) {
    case 'unknown_name': {
      const instead = similar.length > 0 ? `; did you mean ${similar.join(', ')}?` : '';
      throw new NotInstalledError(`Homebrew has no tool ${name}${instead}`);
    }
    case 'disk_full':
      throw new Error(`The tool ${name} cannot be installed: the Mac's disk is full`);
    case 'no_network':
      throw new Error(`The tool ${name} cannot be downloaded: ${reasonOf(result)}`);
    default:
      throw new Error(`The tool ${name} cannot be installed: ${reasonOf(result)}`);
  }
}
