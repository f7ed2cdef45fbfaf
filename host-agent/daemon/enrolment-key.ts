// The credential of an enrolment that has not ended: DATA/enrolment.json, mode 600. A command that is repeated because its
// answer was lost uses it again, so that the machine becomes one host and uses a token once.
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { readJson, writeDurably } from '../../shared/durable-file.js';

const keyFile = z.object({ control_plane: z.string(), credential: z.string().regex(/^cmh_[\w-]{43}$/) });

export interface EnrolmentKey {
  readonly credential: string;
  /** SHA-256 of the credential, in hex. */
  readonly hash: string;
  /** Made by this call: no request with it has been sent before. */
  readonly fresh: boolean;
  /** To be called when the enrolment has ended, whether it succeeded or was refused. */
  forget(): void;
}

/** Returns the credential for this service, made on the first call. */
export function enrolmentKey(dataDir: string, controlPlane: string): EnrolmentKey {
  const file = join(resolve(dataDir), 'enrolment.json');
  const present = keyFile.safeParse(readJson(file)).data;
  const known = present?.control_plane === controlPlane ? present.credential : null;
  const credential = known ?? `cmh_${randomBytes(32).toString('base64url')}`;
  if (known === null) {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    writeDurably(file, `${JSON.stringify({ control_plane: controlPlane, credential }, null, 2)}\n`);
  }
  return {
    credential,
    fresh: known === null,
    hash: createHash('sha256').update(credential).digest('hex'),
    forget: () => rmSync(file, { force: true }),
  };
}
