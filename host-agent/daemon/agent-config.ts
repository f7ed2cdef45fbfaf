// The fields of the agent's configuration, with their defaults.
import { z } from 'zod';
import { logLevels } from '../../shared/log.js';
import {
  defaultBuildLimits,
  defaultDaemonLimits,
  defaultGuestLimits,
  defaultLinkLimits,
  defaultSoftwareLimits,
  defaultSourceLimits,
  defaultVmLimits,
} from '../limits.js';

const numbers = <T extends object>(defaults: T, least: 0 | 1) => {
  const shape = Object.keys(defaults).map((name) => [name, z.number().int().min(least).optional()]);
  return z.strictObject(Object.fromEntries(shape) as { [K in keyof T]: z.ZodOptional<z.ZodNumber> });
};

/** A name that a command line cannot take for an option, and a path cannot escape. */
const namePrefix = z.string().regex(/^[a-z][a-z0-9-]{0,38}-$/, {
  error: 'must be lower-case letters, digits and hyphens, and end with a hyphen',
});
const virtualMachines = {
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
const tart = z.strictObject({
  /** The executable, or a name that is looked up on the agent's PATH. */
  path: z.string().min(1).default('tart'),
  /** TART_HOME; null: that of the agent's environment, else `~/.tart`. */
  home: z.string().nullable().default(null),
  /** How to reach guests; auto: by `tart exec` if the image has its guest agent, else by ssh. */
  guest: z.enum(['auto', 'exec', 'ssh']).default('auto'),
  ...virtualMachines,
  user: virtualMachines.user.default('admin'),
  password: virtualMachines.password.default('admin'),
  /** Connections of one pull. */
  pull_concurrency: z.int().min(1).max(32).default(4),
});
const lume = z.strictObject({
  path: z.string().min(1).default('lume'),
  /** Folder of images and virtual machines; null: `lume` in the agent's data folder. */
  home: z.string().nullable().default(null),
  ...virtualMachines,
  user: virtualMachines.user.default('lume'),
  password: virtualMachines.password.default('lume'),
});

export const agentConfig = z.strictObject({
  /** The service's root URL, `https://macs.example`. */
  control_plane: z.url({ protocol: /^https?$/ }),
  driver: z.enum(['local', 'tart', 'lume']).default('local'),
  /** Settings of the driver `tart`. */
  tart: tart.prefault({}),
  /** Settings of the driver `lume`. */
  lume: lume.prefault({}),
  /**
   * The local driver runs builds as the agent's user, without isolation between tenants. The agent refuses to start
   * with it unless the operator accepts that here.
   */
  allow_unisolated: z.boolean().default(false),
  /** Where Xcodes are found. */
  applications_dir: z.string().default('/Applications'),
  /**
   * Maximum number of Macs on this host; null: as many as the control plane wants, or 2 if they are virtual machines,
   * which is all that macOS permits.
   */
  slots: z.int().min(1).nullable().default(null),
  /**
   * PEM file of additional certificate authorities to trust, for the agent and its git. Those of the variable
   * NODE_EXTRA_CA_CERTS are trusted too.
   */
  ca_file: z.string().nullable().default(null),
  /** Proxy for https URLs; null: HTTPS_PROXY or ALL_PROXY, if set. */
  https_proxy: z.string().nullable().default(null),
  /** Hosts to reach without the proxy, separated by commas; null: NO_PROXY. */
  no_proxy: z.string().nullable().default(null),
  /** Default: standard error. The agent rotates the file itself. */
  log_file: z.string().nullable().default(null),
  log_level: z.enum(logLevels).default('info'),
  /** Accept no new builds; running builds go on. */
  drain: z.boolean().default(false),
  limits: z
    .strictObject({
      link: numbers(defaultLinkLimits, 1),
      daemon: numbers(defaultDaemonLimits, 1),
      build: numbers(defaultBuildLimits, 0),
      source: numbers(defaultSourceLimits, 0),
      software: numbers(defaultSoftwareLimits, 1),
      guest: numbers(defaultGuestLimits, 1),
      vm: numbers(defaultVmLimits, 0),
    })
    .partial()
    .default({}),
});
export type AgentConfig = z.infer<typeof agentConfig>;
/** The configuration as written by hand: fields with a default may be missing. */
export type AgentConfigInput = z.input<typeof agentConfig>;
