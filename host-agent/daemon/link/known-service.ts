// Finds out whether a service knows this host, without sending it the credential.
import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Clock } from '../../../shared/clock.js';
import type { Message } from '../../../shared/messages/message.js';
import { moveError } from '../../../shared/messages/move-errors.js';
import { isServiceProof, proofResponse } from '../../../shared/protocol/index.js';
import { AnswerError, linkRequest } from '../../system/request.js';
import type { Service } from './enrol.js';

/** At most this many bytes of an unknown service's answer are read. */
const LONGEST_ANSWER = 16 * 1024;

/**
 * Returns why the service must not get the credential, or null if it is the one that this host belongs to.
 *
 * @param deps.accepted root addresses that the service may name as its own
 */
export async function refusalOf(
  service: Service,
  host: { readonly host_id: string; readonly credential: string },
  { accepted, clock, withinMs }: { accepted: readonly string[]; clock: Clock; withinMs: number },
): Promise<Message | null> {
  const { siteUrl: url } = service;
  const late = new AbortController();
  const timer = clock.setTimeout(() => late.abort(), withinMs);
  try {
    const nonce = randomBytes(32).toString('hex');
    const answer = await linkRequest(service, {
      method: 'POST',
      path: '/link/v1/proof',
      signal: late.signal,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ host_id: host.host_id, nonce }),
    });
    const proof = proofResponse.safeParse(await shortJson(answer.body)).data;
    if (!proof) return moveError('not_cidermill', { url });
    if (!isServiceProof(host.credential, nonce, proof)) return moveError('another_service', { url });
    if (accepted.some((address) => sameAddress(address, proof.site_url))) return null;
    return moveError('other_name', { url, name: proof.site_url });
  } catch (error) {
    if (late.signal.aborted) return moveError('no_answer', { url, seconds: Math.round(withinMs / 1000) });
    if (!(error instanceof AnswerError)) return moveError('unreachable', { url, reason: reasonOf(error) });
    if (error.status === 401) return moveError('unknown_host', { url });
    return moveError('not_now', { url, status: error.status });
  } finally {
    timer.cancel();
  }
}

export function sameAddress(a: string, b: string): boolean {
  return URL.canParse(a) && URL.canParse(b) && new URL(a).origin === new URL(b).origin;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && typeof error.code === 'string' ? `${error.code} ${error.message}` : error.message;
}

/** Returns undefined for a body that is longer than an answer of a service, or not JSON. */
async function shortJson(body: Readable): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk as Buffer);
    bytes += (chunk as Buffer).length;
    if (bytes > LONGEST_ANSWER) return undefined;
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    return undefined;
  }
}
