// A request to the service that keeps what the doctor wants to know of the answer: certificate, time, status.
import { TLSSocket } from 'node:tls';
import type { Clock } from '../../shared/clock.js';
import type { Network } from '../system/network.js';
import { send } from '../system/request.js';

export interface ServiceAnswer {
  readonly status: number;
  /** Its beginning. */
  readonly body: string;
  /** What the service's clock said, ms, and this host's clock when the request was sent and answered; null: no Date. */
  readonly date: { readonly theirs: number; readonly sent: number; readonly answered: number } | null;
  /** End of the certificate's time, ms; null without TLS. */
  readonly certificate: { readonly validTo: number; readonly issuer: string } | null;
}

const IDLE_MS = 10_000;
const MOST_BYTES = 64 * 1024;

/** @throws the error of node:http, or a ProxyError, when the service cannot be reached */
export async function askService(
  {
    siteUrl,
    network,
    clock,
    signal,
  }: { siteUrl: string; network: Network; clock: Clock; signal?: AbortSignal | undefined },
  path: string,
): Promise<ServiceAnswer> {
  const url = new URL(path, siteUrl);
  const sent = clock.now();
  // A connection of its own: no agent keeps it open when the command has ended.
  const agent = network.upgradeAgent(url);
  const { response } = await send(url, { method: 'GET', agent, signal, idleMs: IDLE_MS });
  const answered = clock.now();
  const certificate = certificateOf(response.socket);
  let body = '';
  response.setEncoding('utf8');
  for await (const text of response) {
    body += text;
    // Ends the connection.
    if (body.length >= MOST_BYTES) break;
  }
  const theirs = Date.parse(response.headers.date ?? '');
  const date = Number.isNaN(theirs) ? null : { theirs, sent, answered };
  return { status: response.statusCode ?? 0, body, date, certificate };
}

function certificateOf(socket: unknown): ServiceAnswer['certificate'] {
  if (!(socket instanceof TLSSocket)) return null;
  const { valid_to, issuer } = socket.getPeerCertificate();
  const validTo = Date.parse(valid_to ?? '');
  if (Number.isNaN(validTo)) return null;
  const names = [issuer?.O, issuer?.CN].flat().filter((name) => name !== undefined);
  return { validTo, issuer: names.join(', ') || 'unknown' };
}
