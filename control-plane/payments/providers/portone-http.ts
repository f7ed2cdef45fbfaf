// One request to PortOne's API: credentials, idempotency key, time limit and JSON response.
import { z } from 'zod';
import { timeLimit } from '../../../shared/clock.js';
import { askServer, type ServerAnswer, type ServerRequest } from '../../platform/outbound/configured-server.js';
import { ProviderUncertain } from './provider.js';

export interface PortoneHttpOptions {
  /** Without a trailing slash. */
  readonly url: string;
  readonly apiSecret: string;
  readonly timeoutMs: number;
}

export interface PortoneReply {
  readonly status: number;
  /** PortOne's error; null for status 200. */
  readonly error: PortoneFault | null;
  readonly body: unknown;
}

export interface PortoneFault {
  /** E.g. `ALREADY_PAID`. */
  readonly type: string;
  /** Error code of the company behind PortOne, for `PG_PROVIDER`. */
  readonly pgCode: string | null;
}

const LARGEST_ANSWER = 1024 * 1024;

const fault = z.looseObject({ type: z.string().min(1), pgCode: z.string().optional() });

export function createPortoneHttp({ url, apiSecret, timeoutMs }: PortoneHttpOptions) {
  return {
    /**
     * @param path segments; encoded here
     * @throws ProviderUncertain without a valid answer
     */
    async request(
      method: 'GET' | 'POST',
      path: readonly string[],
      { query, body, idempotencyKey }: { query?: Record<string, string>; body?: object; idempotencyKey?: string } = {},
    ): Promise<PortoneReply> {
      const search = query ? `?${new URLSearchParams(query)}` : '';
      const address = `${url}/${path.map(encodeURIComponent).join('/')}${search}`;
      const { status, text } = await send(address, {
        method,
        headers: {
          accept: 'application/json',
          authorization: `PortOne ${apiSecret}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(idempotencyKey === undefined ? {} : { 'idempotency-key': quoted(idempotencyKey) }),
        },
        body: body === undefined ? undefined : JSON.stringify(body),
        signal: timeLimit(timeoutMs),
        longestAnswer: LARGEST_ANSWER,
      });
      const json = parsed(text, status);
      if (status === 200) return { status, error: null, body: json };
      const said = fault.safeParse(json);
      if (!said.success) throw new ProviderUncertain(`PortOne answered ${status} without an error`);
      return { status, error: { type: said.data.type, pgCode: said.data.pgCode ?? null }, body: json };
    },
  };
}

async function send(address: string, request: ServerRequest): Promise<ServerAnswer> {
  try {
    return await askServer(address, request);
  } catch (error) {
    throw new ProviderUncertain('PortOne sent an incomplete response', { cause: error });
  }
}

function parsed(text: string, status: number): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ProviderUncertain(`PortOne answered ${status} with a body that is not JSON`, {
      cause: error,
    });
  }
}

/** A string of RFC 8941. Our keys contain neither quotes nor backslashes. */
function quoted(key: string): string {
  if (!/^[\w.:-]{16,256}$/.test(key)) throw new Error(`"${key}" is not a valid idempotency key`);
  return `"${key}"`;
}
