// Enrolls this machine as a host of a service.
import os from 'node:os';
import { resolve } from 'node:path';
import { readJson, writeDurably } from '../../shared/durable-file.js';
import { checkFolderOwner } from '../../shared/private-folder.js';
import {
  type AgentConfigInput,
  configPath,
  networkOf,
  openConfiguredNetwork,
  parseConfig,
} from './config.js';
import { type HostCredential, readCredential, writeCredential } from './credential.js';
import { exchangeToken } from './link/enrol.js';

export interface EnrolOptions {
  /** The data folder of this host. */
  dataDir: string;
  /** Root URL of the service, and other initial settings. */
  config: AgentConfigInput;
  /** From `cidermill admin host enroll`; valid once, for 15 minutes. */
  token: string;
  /** Used when the token has no name. Default: this machine's host name. */
  hostname?: string;
}

/**
 * Exchanges the token for this host's credential, and writes DATA/agent.json (the given fields are updated) and
 * DATA/credential.json (mode 600). A running agent reconnects with the new credential.
 *
 * @throws ForeignFolderError before the token is used; ConfigError, AnswerError (invalid token), the error of node:http when the service cannot be reached
 * @example
 * await enrolHost({ dataDir: '/var/lib/cidermill', config: { control_plane: 'https://macs.example' }, token });
 */
export async function enrolHost(options: EnrolOptions): Promise<HostCredential> {
  const dataDir = resolve(options.dataDir);
  checkFolderOwner(dataDir);
  const present = readJson(configPath(dataDir));
  const config = { ...(typeof present === 'object' ? present : {}), ...options.config };
  const parsed = parseConfig(config);
  const network = openConfiguredNetwork(networkOf(parsed, process.env));
  const hostname = options.hostname ?? os.hostname();
  const service = { siteUrl: parsed.control_plane, network };
  const { host_id, name, credential } = await exchangeToken(service, { token: options.token, hostname });
  writeCredential(dataDir, { host_id, name, credential });
  writeDurably(configPath(dataDir), `${JSON.stringify(config, null, 2)}\n`);
  return { host_id, name, credential };
}

/** The host is not enrolled. */
export class NotEnrolledError extends Error {
  constructor(dataDir: string) {
    super(`${dataDir} holds no credential; enroll this host first`);
    this.name = 'NotEnrolledError';
  }
}

/** @throws NotEnrolledError */
export function requireCredential(dataDir: string): HostCredential {
  const credential = readCredential(dataDir);
  if (!credential) throw new NotEnrolledError(dataDir);
  return credential;
}
