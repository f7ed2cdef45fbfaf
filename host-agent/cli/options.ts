import { Option } from 'commander';
import type { AgentConfigInput } from '../daemon/config.js';
import { installPaths } from '../installation/paths.js';

export interface CommonFlags {
  data: string;
  url?: string;
  allowUnisolated?: true;
}

export const dataOption = () =>
  new Option('--data <dir>', 'data folder of this host')
    .default(process.platform === 'darwin' ? installPaths().data : '/var/lib/cidermill')
    .env('CIDERMILL_HOST_DATA');

/** Returns the settings that the flags give. */
export const configOf = (flags: CommonFlags): Partial<AgentConfigInput> => ({
  ...(flags.url === undefined ? {} : { control_plane: flags.url }),
  ...(flags.allowUnisolated ? { allow_unisolated: true } : {}),
});
