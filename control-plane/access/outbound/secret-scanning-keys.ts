// The public keys with which GitHub's secret scanning signs its reports.
import { z } from 'zod';
import { type Clock, timeLimit } from '../../../shared/clock.js';
import { askServer } from '../../platform/outbound/configured-server.js';

export type SecretScanningKeys = ReturnType<typeof createSecretScanningKeys>;

const answer = z.object({
  public_keys: z.array(z.object({ key_identifier: z.string(), key: z.string() })),
});

const TIMEOUT_MS = 10_000;
const LARGEST_ANSWER = 1024 * 1024;
/** An unknown identifier reloads the list, at most once per interval. */
const ASK_EVERY_MS = 60_000;

/** @param url configured by the operator; GitHub's is `https://api.github.com/meta/public_keys/secret_scanning` */
export function createSecretScanningKeys(url: string, clock: Clock) {
  let keys = new Map<string, string>();
  let etag: string | null = null;
  let askedAt = Number.NEGATIVE_INFINITY;

  const ask = async () => {
    const { status, headers, text } = await askServer(url, {
      method: 'GET',
      headers: { accept: 'application/json', ...(etag === null ? {} : { 'if-none-match': etag }) },
      signal: timeLimit(TIMEOUT_MS),
      longestAnswer: LARGEST_ANSWER,
    });
    if (status === 304) return;
    if (status !== 200) throw new Error(`failed to load the keys of secret scanning: HTTP ${status}`);
    const { public_keys } = answer.parse(JSON.parse(text));
    keys = new Map(public_keys.map(({ key_identifier, key }) => [key_identifier, key]));
    etag = headers.etag ?? null;
  };

  return {
    /** Returns the PEM of the key, or null when GitHub does not list it. */
    async find(identifier: string): Promise<string | null> {
      const known = keys.get(identifier);
      if (known !== undefined) return known;
      if (clock.monotonic() - askedAt < ASK_EVERY_MS) return null;
      askedAt = clock.monotonic();
      await ask();
      return keys.get(identifier) ?? null;
    },
  };
}
