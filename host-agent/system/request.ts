// HTTP requests to the control plane with node:http: it loads fast in the build process, and streams.
import http from 'node:http';
import https from 'node:https';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { directly, type Network, openNetwork } from './network.js';

/** The URL of the control plane and this host's credential, which is never logged. */
export interface LinkAddress {
  /** `https://macs.example`, without a path of the API. */
  siteUrl: string;
  credential: string;
  /** Default: no proxy, and the public certificate authorities. */
  network?: Network;
}

export interface Answer {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: Readable;
}

/** The control plane answered with an error. */
export class AnswerError extends Error {
  readonly status: number;
  /** The control plane's error code, or 'unknown'. */
  readonly code: string;
  /** What the control plane asks to wait; 0 when it asks for nothing. */
  readonly retryAfterMs: number;
  /** The control plane cannot reach its object store: it can keep nothing now, and will again. */
  readonly storageAway: boolean;
  constructor(status: number, code: string, message: string, retryAfterMs = 0, storageAway = false) {
    super(`${status} ${code}: ${message}`);
    this.retryAfterMs = retryAfterMs;
    this.storageAway = storageAway;
    this.name = 'AnswerError';
    this.status = status;
    this.code = code;
  }
  /** True when a retry may help. */
  get temporary(): boolean {
    return this.status >= 500 || this.status === 429 || this.status === 408;
  }
}

interface Sent {
  method: 'GET' | 'POST' | 'PUT';
  headers?: Record<string, string>;
  body?: Buffer | string | Readable;
  signal?: AbortSignal | undefined;
  agent: http.Agent;
  /** A connection without traffic for this long is closed. */
  idleMs?: number;
}

const IDLE_MS = 60_000;

const direct = openNetwork(directly);

/**
 * Sends a request and returns a 2xx answer, whose body has to be read or destroyed.
 *
 * @throws AnswerError for any other answer; the error of node:http when the control plane cannot be reached
 */
export async function linkRequest(
  { siteUrl, network = direct }: Pick<LinkAddress, 'siteUrl' | 'network'>,
  {
    path,
    ...request
  }: Omit<Sent, 'agent' | 'idleMs'> & {
    /** From the site's root. */
    path: string;
  },
): Promise<Answer> {
  const url = new URL(path, siteUrl);
  const { outgoing, response } = await send(url, { ...request, agent: network.agent(url) });
  const status = response.statusCode ?? 0;
  if (status >= 200 && status < 300) return { status, headers: response.headers, body: response };
  const error = await errorOf(status, response);
  // The rest of a refused body need not be sent.
  outgoing.destroy();
  throw error;
}

/**
 * Sends a request and returns any answer, whose body has to be read or destroyed.
 *
 * @throws the error of node:http
 */
export async function send(
  url: URL,
  { body, idleMs = IDLE_MS, ...options }: Sent,
): Promise<{ outgoing: http.ClientRequest; response: http.IncomingMessage }> {
  const outgoing = (url.protocol === 'https:' ? https : http).request(url, { ...options, timeout: idleMs });
  outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer within ${idleMs / 1000} s`)));
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    outgoing.on('error', reject);
    outgoing.on('response', resolve);
    if (body === undefined || typeof body === 'string' || Buffer.isBuffer(body)) outgoing.end(body);
    // An answer before the end of the body (a refusal) counts; the rest of the body is not sent.
    else pipeline(body, outgoing).catch(reject);
  });
  return { outgoing, response };
}

async function errorOf(status: number, response: http.IncomingMessage): Promise<AnswerError> {
  // Of a response that breaks off, the status is known.
  const body = await text(response).catch(() => '');
  const error = parseError(body);
  const retryAfterS = /^\d{1,6}$/.exec(response.headers['retry-after'] ?? '')?.[0] ?? '0';
  const message = error.message ?? body.slice(0, 200);
  const storageAway = error.storage_away === true;
  return new AnswerError(status, error.code ?? 'unknown', message, Number(retryAfterS) * 1000, storageAway);
}

interface AnsweredError {
  readonly code?: string;
  readonly message?: string;
  readonly storage_away?: boolean;
}

function parseError(body: string): AnsweredError {
  try {
    const json = JSON.parse(body) as { error?: AnsweredError } | null;
    return json?.error ?? {};
  } catch {
    // A proxy's error page, not the control plane's answer.
    return {};
  }
}

export const bearer = (credential: string) => ({ authorization: `Bearer ${credential}` });

/** Returns whether the control plane is on this machine. */
export function isLoopback(siteUrl: string): boolean {
  return /^(127(\.\d+){3}|localhost|\[::1\])$/.test(new URL(siteUrl).hostname);
}
