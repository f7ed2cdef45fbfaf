// The agent's configuration: DATA/agent.json. Most fields are applied when the file is saved, without a restart.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { writeDurably } from '../../shared/durable-file.js';
import { isErrno } from '../../shared/errno.js';
import { nearestName } from '../../shared/nearest-name.js';
import { proxyFromEnvironment } from '../../shared/network/proxy.js';
import {
  type BuildLimits,
  type DaemonLimits,
  defaultBuildLimits,
  defaultDaemonLimits,
  defaultGuestLimits,
  defaultLinkLimits,
  defaultSoftwareLimits,
  defaultSourceLimits,
  defaultVmLimits,
  type LinkLimits,
  type SourceLimits,
  type VmLimits,
} from '../limits.js';
import {
  checkNetwork,
  type Network,
  NetworkError,
  type NetworkSettings,
  openNetwork,
} from '../system/network.js';

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
  /** The agent touches only virtual machines whose names it has made: this, and ten hexadecimal digits. */
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
  log_level: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
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

export class ConfigError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ConfigError';
  }
}

export const configPath = (dataDir: string): string => join(resolve(dataDir), 'agent.json');

/** @throws ConfigError naming the fields, never their values */
export function parseConfig(input: unknown): AgentConfig {
  const parsed = agentConfig.safeParse(input);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((issue) => {
    const place = issue.path.join('.') || 'the file';
    if (issue.code !== 'unrecognized_keys') return `${place}: ${issue.message}`;
    const known = fieldsAt(issue.path);
    const unknown = issue.keys.map((name) => {
      const nearest = nearestName(name, known);
      return nearest === null ? `${name} (known: ${known.join(', ')})` : `${name} (did you mean ${nearest}?)`;
    });
    return `${place}: unknown ${unknown.join(', ')}`;
  });
  throw new ConfigError(`the configuration is not valid: ${issues.join('; ')}`);
}

/** Returns the field names of the object at this path of the file. */
function fieldsAt(path: readonly PropertyKey[]): string[] {
  let at: unknown = agentConfig;
  for (const name of [null, ...path]) {
    if (name !== null) at = at instanceof z.ZodObject ? at.shape[String(name)] : null;
    while (at instanceof z.ZodOptional || at instanceof z.ZodDefault || at instanceof z.ZodNullable) {
      at = at.def.innerType;
    }
  }
  return at instanceof z.ZodObject ? Object.keys(at.shape) : [];
}

/**
 * Reads the file and applies `overrides` (command line flags).
 *
 * @throws ConfigError when it is not JSON or does not validate, or when there is no file and no override either
 */
export function readConfig(file: string, overrides: Partial<AgentConfigInput> = {}): AgentConfig {
  let text = '{}';
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (!isErrno(error, 'ENOENT')) throw error;
    if (overrides.control_plane === undefined) {
      throw new ConfigError(`there is no ${file}; enroll this host first`);
    }
  }
  return parseConfig({ ...parseObject(file, text), ...overrides });
}

function parseObject(file: string, text: string): object {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new ConfigError(`${file} is not JSON`, { cause: error });
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new ConfigError(`${file} is not a JSON object`);
  }
  return json;
}

/** Writes these fields into the file; the others stay as they are. */
export function changeConfig(file: string, changes: Partial<AgentConfigInput>): void {
  const present = parseObject(file, readFileSync(file, 'utf8'));
  writeDurably(file, `${JSON.stringify({ ...present, ...changes }, null, 2)}\n`);
}

/** Returns why an agent with this configuration must not run, or null. */
export function isolationRefusal(config: AgentConfig): string | null {
  if (config.driver !== 'local' || config.allow_unisolated) return null;
  return (
    'the local driver runs builds as this user, without isolation between tenants; if all who build here are ' +
    'trusted, set "allow_unisolated": true in agent.json, or give --allow-unisolated'
  );
}

/** Macs that run at a time on one machine: limit of the kernel and of Apple's license. */
export const MOST_VIRTUAL_MACS = 2;

/** Returns the maximum number of Macs on this host; null: no maximum. */
export function slotsOf({ driver, slots }: Pick<AgentConfig, 'driver' | 'slots'>): number | null {
  return driver === 'local' ? slots : Math.min(slots ?? MOST_VIRTUAL_MACS, MOST_VIRTUAL_MACS);
}

/** Fields that take effect after a restart. */
export const RESTART_FIELDS = [
  'control_plane',
  'driver',
  'tart',
  'lume',
  'allow_unisolated',
  'applications_dir',
  'ca_file',
  'https_proxy',
  'no_proxy',
  'log_file',
] as const;

/** Returns the changed fields of `fresh` that take effect after a restart. */
export function needsRestart(present: AgentConfig, fresh: AgentConfig): string[] {
  return RESTART_FIELDS.filter((field) => JSON.stringify(present[field]) !== JSON.stringify(fresh[field]));
}

/** Returns the network settings of the file, with those of the environment as defaults. */
export function networkOf(
  config: Pick<AgentConfig, 'ca_file' | 'https_proxy' | 'no_proxy'>,
  env: Readonly<Record<string, string | undefined>>,
): NetworkSettings {
  const { proxy, bypass } = proxyFromEnvironment(env);
  return {
    ca_files: [config.ca_file, env.NODE_EXTRA_CA_CERTS].flatMap((file) => (file ? [file] : [])),
    proxy: config.https_proxy ?? proxy,
    bypass: config.no_proxy ?? bypass,
  };
}

/** @throws ConfigError when they cannot be used */
export function openConfiguredNetwork(settings: NetworkSettings): Network {
  try {
    checkNetwork(settings);
    return openNetwork(settings);
  } catch (error) {
    throw error instanceof NetworkError ? new ConfigError(error.message, { cause: error }) : error;
  }
}

export const linkLimitsOf = (config: AgentConfig): LinkLimits => merge(defaultLinkLimits, config.limits.link);
export const daemonLimitsOf = (config: AgentConfig): DaemonLimits =>
  merge(defaultDaemonLimits, config.limits.daemon);
export const vmLimitsOf = (config: AgentConfig): VmLimits => merge(defaultVmLimits, config.limits.vm);
/** Returns only the limits that differ from the defaults, which a build process knows itself. */
export const buildLimitsOf = (config: AgentConfig): Partial<BuildLimits & SourceLimits> =>
  given({ ...config.limits.source, ...config.limits.build });

function merge<T extends object>(defaults: Readonly<T>, changes: Changes<T> | undefined): T {
  return { ...defaults, ...given(changes ?? {}) };
}

type Changes<T> = { [K in keyof T]?: T[K] | undefined };

/** Drops undefined fields. */
function given<T extends object>(changes: Changes<T>): Partial<T> {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as Partial<T>;
}
