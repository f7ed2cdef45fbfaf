// Chooses service and key: flags, environment, `cidermill login`, a service in this folder.

import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { errnoOf, isErrno } from '../../shared/errno.js';
import { nearestName } from '../../shared/nearest-name.js';
import { clientVariables, unknownVariables } from '../../shared/variables.js';
import { UsageError } from './usage-error.js';

export interface Service {
  url: string;
  key: string;
}

export interface ServiceSources {
  flags: { url?: string | undefined; key?: string | undefined };
  env: NodeJS.ProcessEnv;
  cwd: string;
}

/** `$XDG_CONFIG_HOME/cidermill/config.json`. */
export function configFile(env: NodeJS.ProcessEnv): string {
  return join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'), 'cidermill', 'config.json');
}

/**
 * Finds the service: each of address and key from the flags, else the environment, else what `login`
 * stored, else a `cidermill dev` in this folder. A stored key is sent only to the address it was stored with.
 *
 * @throws UsageError when there is no address or no key
 */
export function findService({ flags, env, cwd }: ServiceSources): Service {
  const stored = () => readService(configFile(env), ['url', 'key']);
  const local = () => readService(resolve(cwd, '.cidermill', 'dev.json'), ['base_url', 'api_key']);
  const givenUrl = flags.url || env.CIDERMILL_URL;
  const givenKey = flags.key || env.CIDERMILL_API_KEY;
  if (givenUrl && givenKey) return { url: givenUrl, key: givenKey };

  for (const found of [stored, local]) {
    const service = found();
    if (!service) continue;
    if (!givenUrl) return { url: service.url, key: givenKey || service.key };
    if (sameService(givenUrl, service.url)) return { url: givenUrl, key: service.key };
  }
  if (!givenUrl) {
    throw new UsageError(
      'no service is configured: run `cidermill login`, set CIDERMILL_URL and CIDERMILL_API_KEY, ' +
        'or start one here with `cidermill dev`',
    );
  }
  throw new UsageError(`no key for ${givenUrl}: run \`cidermill login\`, set CIDERMILL_API_KEY, or give --key`);
}

/** A warning for each variable that looks like a misspelled one. */
export function misspelledVariables(env: NodeJS.ProcessEnv): string[] {
  return unknownVariables(env, clientVariables)
    .filter(({ nearest }) => nearest !== null)
    .map(({ name, nearest }) => `${name} has no effect; did you mean ${nearest}?`);
}

/** Reads a stored address and key; null when the file is not there. */
function readService(file: string, [urlName, keyName]: [string, string]): Service | null {
  let text: string;
  try {
    // A key in a file that others can read or write is not trusted; such a file may also have come with somebody else's
    // folder.
    const stat = statSync(file);
    if ((stat.mode & 0o077) !== 0 || (process.getuid && stat.uid !== process.getuid())) {
      throw new UsageError(`${file} must belong to you alone (chmod 600)`);
    }
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return null;
    throw new UsageError(`${file} cannot be read (${errnoOf(error)})`);
  }
  let content: Record<string, unknown>;
  try {
    content = JSON.parse(text) as Record<string, unknown>;
  } catch {
    throw new UsageError(`${file} is not JSON; delete it or run \`cidermill login\` again`);
  }
  if (file.endsWith('config.json')) refuseUnknown(file, content, [urlName, keyName]);
  const url = content[urlName];
  const key = content[keyName];
  return typeof url === 'string' && typeof key === 'string' ? { url, key } : null;
}

/** A misspelled field would select another service. */
function refuseUnknown(file: string, content: object, known: readonly string[]): void {
  for (const name of Object.keys(content)) {
    if (known.includes(name)) continue;
    const nearest = nearestName(name, known);
    const hint = nearest === null ? `it has ${known.join(' and ')}` : `did you mean ${nearest}?`;
    throw new UsageError(`${file} has an unknown field ${JSON.stringify(name)}; ${hint}`);
  }
}

function sameService(one: string, other: string): boolean {
  try {
    return new URL(one).origin === new URL(other).origin;
  } catch {
    return false; // Not an address; creating the client says so.
  }
}
