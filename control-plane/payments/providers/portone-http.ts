// One request to PortOne's API: credentials, idempotency key, time limit, and what came back as JSON.
import { z } from 'zod';
import { ProviderUncertain } from './provider.js';

export interface PortoneHttpOptions {
  /** Without a slash at its end. */
  readonly url: string;
  readonly apiSecret: string;
  readonly timeoutMs: number;
}

export interface PortoneReply {
  readonly status: number;
  /** PortOne's name of the error; null for an answer 200. */
  readonly error: PortoneFault | null;
  readonly body: unknown;
}

export interface PortoneFault {
  /** E.g. `ALREADY_PAID`. */
  readonly type: string;
  /** What the company behind PortOne said, for `PG_PROVIDER`. */
  readonly pgCode: string | null;
}

export interface PortoneHttp {
  /**
   * @param path segments, encoded here
   * @throws ProviderUncertain without an answer that can be understood
   */
  request(
    method: 'GET' | 'POST',
    path: readonly string[],
    given?: { query?: Record<string, string>; body?: object; idempotencyKey?: string },
  ): Promise<PortoneReply>;
}

const LARGEST_ANSWER = 1024 * 1024;

const fault = z.looseObject({ type: z.string().min(1), pgCode: z.string().optional() });

export function createPortoneHttp({ url, apiSecret, timeoutMs }: PortoneHttpOptions): PortoneHttp {
  return {
    async request(method, path, { query, body, idempotencyKey } = {}) {
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
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        // A credential is sent along: to nobody but the configured address.
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      });
      const json = parsed(text, status);
      if (status === 200) return { status, error: null, body: json };
      const said = fault.safeParse(json);
      if (!said.success) throw new ProviderUncertain(`PortOne answered ${status} without saying why`);
      return { status, error: { type: said.data.type, pgCode: said.data.pgCode ?? null }, body: json };
    },
  };
}

async function send(address: string, init: RequestInit): Promise<{ status: number; text: string }> {
  try {
    const response = await fetch(address, init);
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length;
      if (bytes > LARGEST_ANSWER) throw new Error('the answer is too large');
      chunks.push(chunk);
    }
    return { status: response.status, text: Buffer.concat(chunks).toString('utf8') };
  } catch (error) {
    throw new ProviderUncertain('PortOne gave no whole answer', { cause: error });
  }
}

function parsed(text: string, status: number): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ProviderUncertain(`PortOne answered ${status} with something that is not JSON`, {
      cause: error,
    });
  }
}

/** A string of RFC 8941. Ours hold neither quotes nor backslashes. */
function quoted(key: string): string {
  if (!/^[\w.:-]{16,256}$/.test(key)) throw new Error(`"${key}" cannot be an idempotency key`);
  return `"${key}"`;
}
