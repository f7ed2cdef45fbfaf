import { Option } from 'commander';
import type { AgentConfigInput } from '../daemon/agent-config.js';
import { installedHere, installPaths } from '../installation/paths.js';

export interface CommonFlags {
  data: string;
  url?: string;
  allowUnisolated?: true;
}

/** Returns the data folder of a host whose commands name none. */
export const defaultData = (): string =>
  installedHere()?.data ?? (process.platform === 'darwin' ? installPaths().data : '/var/lib/cidermill');

export const dataOption = () =>
  new Option('--data <dir>', 'data folder of this host').default(defaultData()).env('CIDERMILL_HOST_DATA');

/** Returns the settings that the flags give. */
export const configOf = (flags: CommonFlags): Partial<AgentConfigInput> => ({
  ...(flags.url === undefined ? {} : { control_plane: flags.url }),
  ...(flags.allowUnisolated ? { allow_unisolated: true } : {}),
});

/** For commands about an installed agent, which know its folder. */
export const optionalDataOption = () =>
  new Option('--data <dir>', 'data folder of this host; default: that of the installation').env('CIDERMILL_HOST_DATA');
