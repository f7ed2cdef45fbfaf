// The fields of the agent's configuration, with their defaults.
import { z } from 'zod';
import { DEFAULT_DRIVER, driverNames, type VmDriverName, vmDriverNames } from '../../shared/drivers.js';
import { logLevels } from '../../shared/log.js';
import { vmTools } from '../driver/vm-tools.js';
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

/** Settings of each driver of virtual machines, below its name. */
const toolSettings = Object.fromEntries(vmDriverNames.map((name) => [name, vmTools[name].config.prefault({})])) as {
  [Name in VmDriverName]: z.ZodPrefault<(typeof vmTools)[Name]['config']>;
};

export const agentConfig = z.strictObject({
  /** The service's root URL, `https://macs.example`. */
  control_plane: z.url({ protocol: /^https?$/ }),
  driver: z.enum(driverNames).default(DEFAULT_DRIVER),
  ...toolSettings,
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
