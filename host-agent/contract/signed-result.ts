// The result of an attempt on disk, with the places of the service's lines in its log, signed by the build process. The
// private key is only in the memory of that process, so a result that the build itself wrote is rejected.
import { generateKeyPairSync, sign, verify } from 'node:crypto';
import { z } from 'zod';
import { type BuildResult, buildResult, type ServiceBytes, serviceBytes } from '../../shared/protocol/index.js';

export interface AttemptEnd {
  readonly result: BuildResult;
  /** Byte ranges of the service's lines in the log, in order; null in results of older versions. */
  readonly service: readonly ServiceBytes[] | null;
}

const attemptEnd = buildResult.extend({ service: z.array(serviceBytes).nullable().default(null) });

const signedResult = z.object({
  /** The result and the ranges as JSON, in one object, so that older versions can read it. The signature covers exactly these bytes. */
  result: z.string(),
  signature: z.string(),
});

export interface ResultSigner {
  /** The public key: Ed25519, SPKI in base64. */
  readonly key: string;
  /** Returns the content of the result file. */
  sign(end: AttemptEnd): string;
}

export function createResultSigner(): ResultSigner {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  return {
    key: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
    sign({ result, service }) {
      const text = JSON.stringify({ ...result, service });
      const signature = sign(null, Buffer.from(text), privateKey).toString('base64');
      return JSON.stringify({ result: text, signature } satisfies z.infer<typeof signedResult>);
    },
  };
}

/**
 * Returns the result in the parsed content of a result file, or null if the signature does not match the key.
 *
 * @param key null for an attempt that an older version of the agent started: its result is not signed
 */
export function readSignedResult(content: unknown, key: string | null): AttemptEnd | null {
  if (key === null) {
    const result = buildResult.safeParse(content).data;
    return result ? { result, service: null } : null;
  }
  const signed = signedResult.safeParse(content).data;
  if (!signed || !isSignedBy(key, signed)) return null;
  const end = attemptEnd.safeParse(JSON.parse(signed.result)).data;
  if (!end) return null;
  const { service, ...result } = end;
  return { result, service };
}

function isSignedBy(key: string, { result, signature }: z.infer<typeof signedResult>): boolean {
  const publicKey = { key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' } as const;
  try {
    return verify(null, Buffer.from(result), publicKey, Buffer.from(signature, 'base64'));
  } catch {
    // The key of an adopted attempt comes from its folder, and the build may have changed it there.
    return false;
  }
}
