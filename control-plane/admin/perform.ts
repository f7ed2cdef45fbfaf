// Runs an admin command: on the database of a local data folder, or in a remote service over HTTP.
import { z } from 'zod';
import { proxyFor, proxyFromEnvironment } from '../../shared/network/proxy.js';
import { createTunnelAgent } from '../../shared/network/tunnel.js';
import { ConfigError } from '../config-error.js';
import { ApiError, isErrorCode } from '../platform/domain/error-catalog.js';
import { askServer } from '../platform/outbound/configured-server.js';
import type { Call, Output, Perform, Result } from './command.js';
import { performHere } from './perform-here.js';

/** The address did not answer, or not with a valid response. */
export class UnreachableError extends Error {}

type Environment = Readonly<Record<string, string | undefined>>;

const TIMEOUT_MS = 60_000;
/** A command prints at most that much, in bytes. */
const LARGEST_ANSWER = 256 * 1024 * 1024;

/** @param output its `readLine` reads the input that is sent with a command that needs one */
export function performHereOrThere(env: Environment, output: Pick<Output, 'readLine'>): Perform {
  return (call) => {
    const url = call.target.url ?? env.CIDERMILL_OPERATOR_URL;
    if (url === undefined) return performHere(call);
    const token = env.CIDERMILL_OPERATOR_TOKEN;
    if (!token) throw new ConfigError(['CIDERMILL_OPERATOR_TOKEN: the token of the service is missing']);
    return performThere(call, url, token, { env, output });
  };
}

const done = z.object({ result: z.object({ json: z.unknown(), text: z.string() }) });
const refused = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

async function performThere(
  { argv, reads }: Call,
  url: string,
  token: string,
  { env, output }: { env: Environment; output: Pick<Output, 'readLine'> },
): Promise<Result> {
  if (!URL.canParse(url)) throw new ConfigError([`--url: "${url}" is not an address`]);
  const input = reads ? await output.readLine() : null;
  const answer = await ask(`${url.replace(/\/+$/, '')}/api/operator/v1/commands`, token, { argv, input }, env);
  const result = done.safeParse(answer);
  if (result.success) return { json: result.data.result.json, text: result.data.result.text };
  const error = refused.safeParse(answer);
  if (!error.success) throw new UnreachableError(`what answers at ${url} is no control plane`);
  const { code, message } = error.data.error;
  throw isErrorCode(code) ? new ApiError(code, { message }) : new Error(`${code}: ${message}`);
}

async function ask(address: string, token: string, body: unknown, env: Environment): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  try {
    const proxy = proxyFor(address, proxyFromEnvironment(env));
    const { text } = await askServer(address, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
      longestAnswer: LARGEST_ANSWER,
      ...(proxy ? { agent: createTunnelAgent({ proxy, timeoutMs: TIMEOUT_MS }, {}) } : {}),
    });
    return JSON.parse(text);
  } catch (cause) {
    throw new UnreachableError(`${address} does not answer as a control plane does`, { cause });
  }
}
