// What the agent needs to know of a tool for virtual machines besides its commands.
import { z } from 'zod';
import type { License } from '../../../shared/messages/findings.js';
import type { VmLimits } from '../../limits.js';
import type { VmSettings } from './settings.js';
import type { VmTool } from './tool.js';

export interface VmToolOptions extends Pick<VmSettings, 'home' | 'data_dir' | 'path' | 'pull_concurrency'> {
  /** Where the output of running virtual machines is kept. */
  readonly outputDir: string;
  readonly limits: () => VmLimits;
}

export interface VmToolKind<Config extends VmToolConfig = VmToolConfig> {
  /** Its fields in the agent's configuration, below its name. */
  readonly config: z.ZodType<Config>;
  /** The settings that follow from its configuration in its own way. */
  settings(
    config: Config,
    env: Readonly<Record<string, string | undefined>>,
  ): Pick<VmSettings, 'home' | 'guest' | 'pull_concurrency'>;
  /** Where it keeps virtual machines and images when the configuration does not say it. */
  defaultHome(of: { readonly userHome: string; readonly dataDir: string }): string;
  /** Other agents of the same user have the same default folder. */
  readonly sharesHome: boolean;
  open(options: VmToolOptions): VmTool;
  /** The command that deletes a virtual machine in this folder, without its name. */
  deleteCommand(folder: string): string;
  /** The oldest version that the agent is tested with. */
  readonly oldest: string;
  readonly license: {
    readonly now: License;
    readonly before: { readonly version: string; readonly license: License } | null;
  };
}

/** A name that a command line cannot take for an option, and a path cannot escape. */
const namePrefix = z.string().regex(/^[a-z][a-z0-9-]{0,38}-$/, {
  error: 'must be lower-case letters, digits and hyphens, and end with a hyphen',
});

/** Fields that every tool has. */
export const vmToolFields = {
  /** User of the images, and its password, which every Mac replaces when it is created. */
  user: z.string().min(1),
  password: z.string().min(1),
  /** Virtual machines whose names begin with this are the agent's: it deletes those that it does not use. */
  name_prefix: namePrefix.default('cidermill-'),
  /** Clean virtual machines that are kept ready for the next Mac, while there is room. */
  warm_spares: z.int().min(0).max(2).default(1),
  /** Folder with simulator runtimes that were fetched before (`xcodebuild -downloadPlatform … -exportPath`). */
  runtimes_dir: z.string().nullable().default(null),
};

export interface VmToolConfig
  extends Pick<VmSettings, 'path' | 'home' | 'user' | 'name_prefix' | 'warm_spares' | 'runtimes_dir'> {
  readonly password: string;
}

/** Keeps the tool's own type of its configuration. */
export const vmToolKind = <Schema extends z.ZodType<VmToolConfig>>(
  kind: Omit<VmToolKind<z.infer<Schema>>, 'config'> & { readonly config: Schema },
) => kind;
