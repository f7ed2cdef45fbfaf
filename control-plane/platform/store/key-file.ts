// The file that holds the sealing keys, beside the database and never in it: `DATA/secret.key`, mode 600.
// One line a key, the current one first: `<id> <64 hex digits>`.

import { randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { writeDurably } from '../../../shared/durable-file.js';
import type { SealingKey } from '../domain/sealing.js';

export type KeyFile = ReturnType<typeof openKeyFile>;

/**
 * Opens the file; notices when another process has replaced it. When it is removed while this process runs, the process
 * writes it again: nothing that was sealed is lost.
 *
 * Throws when the file is missing (unless `create`), cannot be read, or holds what is not a key.
 *
 * @param options.create makes a missing file, with a first key; default: true
 * @param options.onRestored called when a file that was removed has been written again
 */
export function openKeyFile(path: string, options: { create?: boolean; onRestored?: () => void } = {}) {
  let keys: readonly SealingKey[] = [];
  let version = '';

  const stamp = (): string | null => {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat ? `${stat.ino}:${stat.mtimeMs}:${stat.size}` : null;
  };
  const load = () => {
    const now = stamp();
    if (now === null) {
      if (keys.length === 0) throw new Error(`the key file ${path} is gone; secrets cannot be read without it`);
      replaceFile(path, keys);
      version = stamp() ?? '';
      options.onRestored?.();
      return;
    }
    if (now === version) return;
    keys = parse(readFileSync(path, 'utf8'), path);
    version = now;
  };
  const problem = (): string | null => {
    try {
      load();
      return null;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  };
  const current = () => {
    load();
    const [first] = keys;
    if (!first) throw new Error(`the key file ${path} holds no key`);
    return first;
  };

  if (stamp() === null && (options.create ?? true)) replaceFile(path, [newKey()]);
  load();
  return {
    /** The key that new values are sealed under. Throws when the file cannot be read, or is missing and cannot be written. */
    current,
    /** Null when there is no such key. */
    find(id: string): SealingKey | null {
      // While the file cannot be read, what was read before stays usable: `problem` tells the operator.
      problem();
      return keys.find((key) => key.id === id) ?? null;
    },
    /** What is wrong with the file, in words for the operator; null when nothing is. */
    problem,
    /** Adds a new current key. The previous one is kept for reading; older ones are removed. */
    rotate(): SealingKey {
      replaceFile(path, [newKey(), current()]);
      return current();
    },
  };
}

function newKey(): SealingKey {
  return { id: `k_${randomBytes(6).toString('hex')}`, bytes: randomBytes(32) };
}

function parse(text: string, path: string): SealingKey[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line, i) => {
      const match = /^(k_[0-9a-f]+) ([0-9a-f]{64})$/.exec(line);
      if (!match?.[1] || !match[2]) throw new Error(`line ${i + 1} of the key file ${path} is not a key`);
      return { id: match[1], bytes: Buffer.from(match[2], 'hex') };
    });
}

function replaceFile(path: string, keys: readonly SealingKey[]): void {
  writeDurably(path, keys.map((key) => `${key.id} ${key.bytes.toString('hex')}\n`).join(''));
}
