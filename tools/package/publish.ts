// Puts finished packages into the folder that is published. What was published keeps its bytes: hosts and people have its
// checksum.
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Package } from './archive.js';
import { type SigningKey, signerOf, signSums } from './signing.js';
import { readSums, writeSums } from './sums.js';

export interface Publication {
  readonly out: string;
  readonly key: SigningKey;
  /** Public keys whose signature of what is there already counts. */
  readonly trusted: readonly string[];
  /** Other bytes may replace a published package of the same name. */
  readonly replace: boolean;
  /** What is there without a signature of these keys is signed now. */
  readonly signPresent: boolean;
  readonly say: (text: string) => void;
}

/**
 * @param make makes the packages in a folder
 * @throws Error when a published package would be replaced by other bytes; nothing is published then
 */
export async function publish(
  { out, key, trusted, replace, signPresent, say }: Publication,
  make: (folder: string) => Promise<readonly Package[]>,
): Promise<readonly Package[]> {
  mkdirSync(out, { recursive: true });
  const isSigned = signerOf(out, [key.text, ...trusted]) !== null;
  const staged = join(out, `.new-${process.pid}`);
  rmSync(staged, { recursive: true, force: true });
  mkdirSync(staged);
  try {
    const made = await make(staged);
    const present = readSums(out);
    const others = made.filter(({ name, sha256 }) => (present.get(name) ?? sha256) !== sha256);
    if (isSigned && others.length > 0 && !replace) {
      throw new Error(
        `published with other contents: ${others.map(({ name }) => name).join(', ')}. Give the sources another version, or add --replace`,
      );
    }
    const keep = isSigned || signPresent;
    const names = new Set(made.map(({ name }) => name));
    const dropped = keep ? [] : [...present.keys()].filter((name) => !names.has(name));
    if (dropped.length > 0) {
      say(
        `not signed with a key that is known here, and no longer offered: ${dropped.join(', ')}; --sign-present signs them`,
      );
    }
    for (const { name } of made) if (existsSync(join(staged, name))) renameSync(join(staged, name), join(out, name));
    writeSums(out, made, keep);
    signSums(out, key);
    return made;
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
}
