// The agent's configuration: DATA/agent.json. Most fields are applied when the file is saved, without a restart.

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { isVirtual, vmDriverNames } from '../../shared/drivers.js';
import { writeDurably } from '../../shared/durable-file.js';
import { isErrno } from '../../shared/errno.js';
import { parseLogLevel } from '../../shared/log.js';
import { nearestName } from '../../shared/nearest-name.js';
import { proxyFromEnvironment } from '../../shared/network/proxy.js';
import {
  type BuildLimits,
  type DaemonLimits,
  defaultDaemonLimits,
  defaultLinkLimits,
  type LinkLimits,
  type SourceLimits,
} from '../limits.js';
import { checkNetwork, type Network, NetworkError, type NetworkSettings, openNetwork } from '../system/network.js';
import { type AgentConfig, type AgentConfigInput, agentConfig } from './agent-config.js';

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
 * Reads the file and applies `overrides` (command line flags); the level of the log has its default in
 * CIDERMILL_LOG_LEVEL.
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
  return parseConfig({ ...fromEnvironment(process.env), ...parseObject(file, text), ...overrides });
}

/** @throws ConfigError */
function fromEnvironment(env: Readonly<Record<string, string | undefined>>): Partial<AgentConfigInput> {
  const level = env.CIDERMILL_LOG_LEVEL;
  if (level === undefined) return {};
  try {
    return { log_level: parseLogLevel(level) };
  } catch (error) {
    throw new ConfigError(`CIDERMILL_LOG_LEVEL: ${error instanceof Error ? error.message : String(error)}`);
  }
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
  if (isVirtual(config.driver) || config.allow_unisolated) return null;
  return (
    'the local driver runs builds as this user, without isolation between tenants; if all who build here are ' +
    'trusted, set "allow_unisolated": true in agent.json, or give --allow-unisolated'
  );
}

/** Macs that run at a time on one machine: limit of the kernel and of Apple's license. */
export const MOST_VIRTUAL_MACS = 2;

/** Returns the maximum number of Macs on this host; null: no maximum. */
export function slotsOf({ driver, slots }: Pick<AgentConfig, 'driver' | 'slots'>): number | null {
  return isVirtual(driver) ? Math.min(slots ?? MOST_VIRTUAL_MACS, MOST_VIRTUAL_MACS) : slots;
}

/** Fields that take effect after a restart. */
export const RESTART_FIELDS = [
  'control_plane',
  'driver',
  ...vmDriverNames,
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
export const daemonLimitsOf = (config: AgentConfig): DaemonLimits => merge(defaultDaemonLimits, config.limits.daemon);
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
