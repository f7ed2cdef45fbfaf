// Where an admin command is done: on the database of a folder of this machine, or by a service elsewhere.
import { resolve } from 'node:path';
import { z } from 'zod';
import { ConfigError } from '../config.js';
import { ApiError, isErrorCode } from '../platform/domain/error-catalog.js';
import type { Call, Output, Perform, Result } from './command.js';
import { withService } from './service.js';

/** No answer that makes sense came from the address. */
export class UnreachableError extends Error {}

type Environment = Readonly<Record<string, string | undefined>>;

const TIMEOUT_MS = 60_000;

/** @param output where the line comes from that goes along with a command that reads one */
export function performHereOrThere(env: Environment, output: Pick<Output, 'readLine'>): Perform {
  return (call) => {
    const url = call.target.url ?? env.CIDERMILL_OPERATOR_URL;
    if (url === undefined) return withService(resolve(call.target.data), call.work);
    const token = env.CIDERMILL_OPERATOR_TOKEN;
    if (!token) throw new ConfigError(['CIDERMILL_OPERATOR_TOKEN: the token of the service is missing']);
    return performThere(call, url, token, output);
  };
}

const done = z.object({ result: z.object({ json: z.unknown(), text: z.string() }) });
const refused = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

async function performThere(
  { argv, reads }: Call,
  url: string,
  token: string,
  output: Pick<Output, 'readLine'>,
): Promise<Result> {
  if (!URL.canParse(url)) throw new ConfigError([`--url: "${url}" is not an address`]);
  const input = reads ? await output.readLine() : null;
  const answer = await ask(`${url.replace(/\/+$/, '')}/api/operator/v1/commands`, token, { argv, input });
  const result = done.safeParse(answer);
  if (result.success) return { json: result.data.result.json, text: result.data.result.text };
  const error = refused.safeParse(answer);
  if (!error.success) throw new UnreachableError(`what answers at ${url} is no control plane`);
  const { code, message } = error.data.error;
  throw isErrorCode(code) ? new ApiError(code, { message }) : new Error(`${code}: ${message}`);
}

async function ask(address: string, token: string, body: unknown): Promise<unknown> {
  try {
    const response = await fetch(address, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return await response.json();
  } catch (cause) {
    throw new UnreachableError(`${address} does not answer as a control plane does`, { cause });
  }
}
