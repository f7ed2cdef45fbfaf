// Requests of `cidermill admin`: to a running service elsewhere, or to the same routes in this process.

import { z } from 'zod';
import {
  type Method,
  type OperationRequest,
  requestOf,
  type SessionOperation,
} from '../../client/operations/operation.js';
import { timeLimit } from '../../shared/clock.js';
import { proxyFor, proxyFromEnvironment } from '../../shared/network/proxy.js';
import { createTunnelAgent } from '../../shared/network/tunnel.js';
import { ConfigError } from '../config-error.js';
import { ApiError, isErrorCode } from '../platform/domain/error-catalog.js';
import { invalidField } from '../platform/domain/invalid-field.js';
import { refusalShape } from '../platform/http/console-envelope.js';
import { messageShape } from '../platform/http/message-view.js';
import { type AnyOperation, type Operation, operationPath } from '../platform/http/operation.js';
import { askServer } from '../platform/outbound/configured-server.js';

/** The address did not answer, or not with a valid response. */
export class UnreachableError extends Error {}

export interface OperatorClient {
  /** @example await client.read(getOrganization, 'org_1') */
  read<M extends Method>(operation: SessionOperation<M>, ...args: Parameters<M>): Promise<ReturnType<M>>;
  /** Throws ApiError. */
  run<Shape extends z.ZodObject, Answer extends z.ZodType>(
    definition: Operation<never, Shape, Answer>,
    input: z.input<Shape>,
  ): Promise<z.output<Answer>>;
  close(): Promise<void>;
}

/** Sends one request and returns the status and text of the answer. `path` begins with `/v1/`. */
export type Send = (method: 'GET' | 'POST', path: string, body?: unknown) => Promise<{ status: number; text: string }>;

const problems = z.array(z.object({ path: z.string(), ...messageShape.shape })).default([]);
const details = z.looseObject({ problems, refusals: z.array(refusalShape).optional() }).optional();
const refused = z.object({ error: z.object({ code: z.string(), message: z.string(), details }) });

/** The details of an error as the code that threw it gave them. */
function detailOf({ problems: all = [], ...others }: z.output<typeof details> = { problems: [] }): ApiError['detail'] {
  return { ...others, fields: all.map(({ path, ...problem }) => invalidField(path, problem)) };
}

/** @param from names the server in the error message about an invalid answer */
export function createOperatorClient(send: Send, from: string, close: () => Promise<void>): OperatorClient {
  const call = async (method: 'GET' | 'POST', path: string, body?: unknown): Promise<unknown> => {
    const { status, text } = await send(method, path, body);
    const answer = parsed(text);
    if (status >= 200 && status < 300 && answer !== undefined) return answer;
    const error = refused.safeParse(answer);
    if (!error.success) throw new UnreachableError(`the answer at ${from} is not that of a control plane`);
    const { code, message, details: sent } = error.data.error;
    throw isErrorCode(code)
      ? new ApiError(code, { message, detail: detailOf(sent) })
      : new Error(`${code}: ${message}`);
  };
  return {
    async read(operation, ...args) {
      const { method, path, query } = requestOf(operation, args).request;
      if (method !== 'GET') throw new Error(`${method} ${path} is no read`);
      return (await call(method, path + queryOf(query))) as never;
    },
    run: async (definition: AnyOperation<never>, input: unknown) =>
      (await call('POST', operationPath(definition.name), input)) as never,
    close,
  };
}

const TIMEOUT_MS = 60_000;
/** An answer has at most that many bytes. */
const LARGEST_ANSWER = 16 * 1024 * 1024;

export function connectTo(
  url: string,
  token: string,
  env: Readonly<Record<string, string | undefined>>,
): OperatorClient {
  if (!URL.canParse(url)) throw new ConfigError([`--url: "${url}" is not an address`]);
  const root = `${url.replace(/\/+$/, '')}/api/operator`;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const send: Send = async (method, path, body) => {
    const address = root + path;
    const proxy = proxyFor(address, proxyFromEnvironment(env));
    return askServer(address, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: timeLimit(TIMEOUT_MS),
      longestAnswer: LARGEST_ANSWER,
      ...(proxy ? { agent: createTunnelAgent({ proxy, timeoutMs: TIMEOUT_MS }, {}) } : {}),
    }).catch((cause: unknown) => {
      throw new UnreachableError(`${address} does not answer as a control plane does`, { cause });
    });
  };
  return createOperatorClient(send, url, async () => {});
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @example queryOf({ tier: 'm4', q: undefined }) // '?tier=m4' */
function queryOf(query: OperationRequest['query'] = {}): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value != null) given.set(name, String(value));
  return given.size === 0 ? '' : `?${given}`;
}
