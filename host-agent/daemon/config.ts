// The agent's configuration: DATA/agent.json. What can change without a restart does so when the file is saved.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { nearestName } from '../../shared/nearest-name.js';
import { proxyFromEnvironment } from '../../shared/network/proxy.js';
import {
  type BuildLimits,
  type DaemonLimits,
  defaultBuildLimits,
  defaultDaemonLimits,
  defaultLinkLimits,
  defaultSourceLimits,
  type LinkLimits,
  type SourceLimits,
} from '../limits.js';
import { isErrno } from '../system/durable-file.js';
import { type Network, NetworkError, type NetworkSettings, openNetwork } from '../system/network.js';

const numbers = <T extends object>(defaults: T, least: 0 | 1) => {
  const shape = Object.keys(defaults).map((name) => [name, z.number().int().min(least).optional()]);
  return z.strictObject(Object.fromEntries(shape) as { [K in keyof T]: z.ZodOptional<z.ZodNumber> });
};

export const agentConfig = z.strictObject({
  /** The service's root address, `https://macs.example`. */
  control_plane: z.url({ protocol: /^https?$/ }),
  driver: z.enum(['local']).default('local'),
  /**
   * The local driver runs builds as the agent's own user, without isolation between tenants. It is refused unless
   * the operator says here that this is understood.
   */
  allow_unisolated: z.boolean().default(false),
  /** Where Xcodes are looked for. */
  applications_dir: z.string().default('/Applications'),
  /** Most Macs that this host makes; null: as many as the control plane asks for. */
  slots: z.int().min(1).nullable().default(null),
  /**
   * PEM file of certificate authorities that are trusted besides the public ones, by this agent and its git. Those of
   * the variable NODE_EXTRA_CA_CERTS are trusted too.
   */
  ca_file: z.string().nullable().default(null),
  /** Proxy for https addresses; null: that of the variable HTTPS_PROXY (or ALL_PROXY), if any. */
  https_proxy: z.string().nullable().default(null),
  /** Hosts that are reached without the proxy, separated by commas; null: those of the variable NO_PROXY. */
  no_proxy: z.string().nullable().default(null),
  /** Default: standard error. The file is rotated by the agent itself. */
  log_file: z.string().nullable().default(null),
  log_level: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
  /** Ask for no new builds; those that run go on. */
  drain: z.boolean().default(false),
  limits: z
    .strictObject({
      link: numbers(defaultLinkLimits, 1),
      daemon: numbers(defaultDaemonLimits, 1),
      build: numbers(defaultBuildLimits, 0),
      source: numbers(defaultSourceLimits, 0),
    })
    .partial()
    .default({}),
});
export type AgentConfig = z.infer<typeof agentConfig>;
/** As it is written by hand: whatever has a default may be left out. */
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

/** Names of the fields of the object at this place of the file. */
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
 * Reads the file, with `overrides` (flags of the command line) over what it says.
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
      throw new ConfigError(`there is no ${file}; enrol this host first`);
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

/** Why an agent with this configuration must not run; null when it may. */
export function isolationRefusal(config: AgentConfig): string | null {
  if (config.driver !== 'local' || config.allow_unisolated) return null;
  return (
    'the local driver runs builds as this user, without isolation between tenants; if all who build here are ' +
    'trusted, set "allow_unisolated": true in agent.json, or give --allow-unisolated'
  );
}

/** What cannot change under a running daemon. */
export const RESTART_FIELDS = [
  'control_plane',
  'driver',
  'allow_unisolated',
  'applications_dir',
  'ca_file',
  'https_proxy',
  'no_proxy',
  'log_file',
] as const;

/** Fields of `fresh` that differ and will have no effect before a restart. */
export function needsRestart(present: AgentConfig, fresh: AgentConfig): string[] {
  return RESTART_FIELDS.filter((field) => present[field] !== fresh[field]);
}

/** How this host reaches the control plane and code hosts: what the file says, else what the environment does. */
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
    return openNetwork(settings);
  } catch (error) {
    throw error instanceof NetworkError ? new ConfigError(error.message, { cause: error }) : error;
  }
}

export const linkLimitsOf = (config: AgentConfig): LinkLimits => merge(defaultLinkLimits, config.limits.link);
export const daemonLimitsOf = (config: AgentConfig): DaemonLimits =>
  merge(defaultDaemonLimits, config.limits.daemon);
/** Only what differs from the defaults: a build process knows those itself. */
export const buildLimitsOf = (config: AgentConfig): Partial<BuildLimits & SourceLimits> =>
  given({ ...config.limits.source, ...config.limits.build });

function merge<T extends object>(defaults: Readonly<T>, changes: Changes<T> | undefined): T {
  return { ...defaults, ...given(changes ?? {}) };
}

type Changes<T> = { [K in keyof T]?: T[K] | undefined };

/** Without the fields that say nothing. */
function given<T extends object>(changes: Changes<T>): Partial<T> {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as Partial<T>;
}
