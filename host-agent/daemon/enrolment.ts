// Enrolls this machine as a host of a service.

import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { systemClock } from '../../shared/clock.js';
import { readJson, writeDurably } from '../../shared/durable-file.js';
import { isErrno } from '../../shared/errno.js';
import { packageVersion } from '../../shared/package-version.js';
import { pause } from '../../shared/pause.js';
import { checkFolderOwner } from '../../shared/private-folder.js';
import { macosVersion } from '../driver/local-host.js';
import { AnswerError } from '../system/request.js';
import type { AgentConfigInput } from './agent-config.js';
import { configPath, networkOf, openConfiguredNetwork, parseConfig } from './config.js';
import { type HostCredential, readCredential, writeCredential } from './credential.js';
import { askApproval, exchangeToken, requestApproval, type Service } from './link/enrol.js';

export interface EnrolOptions {
  /** The data folder of this host. */
  dataDir: string;
  /** Root URL of the service, and other initial settings. */
  config: AgentConfigInput;
  /** From `cidermill admin host enroll`. */
  token: string;
  /** Used when the token has no name. Default: this machine's host name. */
  hostname?: string;
  /** Also on a machine that is a host already, which then is another host. Default: refused. */
  replace?: boolean;
}

export type ApprovalOptions = Omit<EnrolOptions, 'token'> & {
  /** Called with the code that an operator has to approve. */
  onCode: (code: string, validMs: number) => void;
  signal?: AbortSignal;
};

/**
 * Exchanges the token for a host, and writes DATA/agent.json (the given fields are updated) and DATA/credential.json
 * (mode 600). A running agent reconnects with the new credential. Repeating it after a lost answer gets the same host.
 *
 * @throws ForeignFolderError and AlreadyEnrolledError before the token is used; ConfigError, AnswerError (invalid token), the error of node:http when the service cannot be reached
 * @example
 * await enrolHost({ dataDir: '/var/lib/cidermill', config: { control_plane: 'https://macs.example' }, token });
 */
export function enrolHost(options: EnrolOptions): Promise<HostCredential> {
  return enrolWith(options, async (service, key) => {
    const { token, hostname = os.hostname() } = options;
    const { credential, ...host } = await exchangeToken(service, {
      token,
      hostname,
      credential_hash: key.hash,
    });
    // A service of an earlier version makes the credential.
    return { ...host, credential: credential ?? key.credential };
  });
}

/**
 * The same with a code: waits until an operator has approved it. A repeated command shows the same code while it is
 * valid. Retries while the service is unavailable.
 *
 * @throws AnswerError (code `invalid_enrolment_token`) when the code has expired, the reason of the signal, and as above
 */
export function enrolByApproval(options: ApprovalOptions): Promise<HostCredential> {
  return enrolWith(options, async (service, key) => {
    const { onCode, signal, hostname = os.hostname() } = options;
    const asked = await requestApproval(service, {
      credential_hash: key.hash,
      hostname,
      agent_version: packageVersion(),
      ...(await describeMachine()),
    });
    onCode(asked.code, asked.expires_in_ms);
    for (;;) {
      await pause(systemClock, asked.poll_ms, signal);
      const { host } = await askApproval(service, key.credential, signal).catch(keepWaiting);
      if (host) return { ...host, credential: key.credential };
    }
  });
}

/** The service may be restarted, or the network be away, while the machine waits. */
function keepWaiting(error: unknown): { host: null } {
  const away = error instanceof AnswerError ? error.temporary : error instanceof Error && 'code' in error;
  if (away && !(error instanceof Error && error.name === 'AbortError')) return { host: null };
  throw error;
}

async function describeMachine(): Promise<{ os: string; chip: string }> {
  const macos = await macosVersion();
  return {
    os: macos === null ? `${os.type()} ${os.release()}` : `macOS ${macos}`,
    chip: os.cpus()[0]?.model.trim() || os.arch(),
  };
}

/** @param enrol makes this machine a host of the service, with the credential or another one */
async function enrolWith(
  options: Omit<EnrolOptions, 'token'>,
  enrol: (service: Service, key: EnrolmentKey) => Promise<HostCredential>,
): Promise<HostCredential> {
  const dataDir = resolve(options.dataDir);
  checkFolderOwner(dataDir);
  if (!options.replace) refuseEnrolled(dataDir);
  const present = readJson(configPath(dataDir));
  const config = { ...(typeof present === 'object' ? present : {}), ...options.config };
  const parsed = parseConfig(config);
  const network = openConfiguredNetwork(networkOf(parsed, process.env));
  const siteUrl = parsed.control_plane;
  const key = enrolmentKey(dataDir, siteUrl);
  const host = await enrol({ siteUrl, network }, key).catch((error: unknown) => {
    const refused = error instanceof AnswerError && error.status === 401;
    if (refused || (key.fresh && isErrno(error, 'ECONNREFUSED', 'ENOTFOUND'))) key.forget();
    throw error;
  });
  writeCredential(dataDir, host);
  writeDurably(configPath(dataDir), `${JSON.stringify(config, null, 2)}\n`);
  key.forget();
  return host;
}

/** The machine is a host already; nothing was changed. */
export class AlreadyEnrolledError extends Error {
  override name = 'AlreadyEnrolledError';
}

/** @throws AlreadyEnrolledError when the enrollment of this data folder is complete */
export function refuseEnrolled(dataDir: string): void {
  const present = readCredential(dataDir);
  const config = readJson(configPath(dataDir));
  // Without a configuration an enrollment was interrupted; repeating it makes the same host.
  if (present === null || typeof config !== 'object' || config === null) return;
  const { control_plane: service } = config as { control_plane?: unknown };
  throw new AlreadyEnrolledError(
    `this machine is the host ${present.name} (${present.host_id}) of ${service ?? 'a service'} already; nothing was changed. ` +
      '--replace makes it another host: the service keeps this one, without its agent, until it is removed there ' +
      `(cidermill admin host remove ${present.name})`,
  );
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

// The credential of an enrolment that has not ended: DATA/enrolment.json, mode 600. A command that is repeated because its
// answer was lost uses it again, so that the machine becomes one host and uses a token once.
const keyFile = z.object({ control_plane: z.string(), credential: z.string().regex(/^cmh_[\w-]{43}$/) });

interface EnrolmentKey {
  readonly credential: string;
  /** SHA-256 of the credential, in hex. */
  readonly hash: string;
  /** Made by this call: no request with it has been sent before. */
  readonly fresh: boolean;
  /** To be called when the enrolment has ended, whether it succeeded or was refused. */
  forget(): void;
}

/** Returns the credential for this service, made on the first call. */
function enrolmentKey(dataDir: string, controlPlane: string): EnrolmentKey {
  const file = join(resolve(dataDir), 'enrolment.json');
  const present = keyFile.safeParse(readJson(file)).data;
  const known = present?.control_plane === controlPlane ? present.credential : null;
  const credential = known ?? `cmh_${randomBytes(32).toString('base64url')}`;
  if (known === null) {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    writeDurably(file, `${JSON.stringify({ control_plane: controlPlane, credential }, null, 2)}\n`);
  }
  return {
    credential,
    fresh: known === null,
    hash: createHash('sha256').update(credential).digest('hex'),
    forget: () => rmSync(file, { force: true }),
  };
}
