// The project of a folder that is uploaded: a Mac keeps one work folder for each. See
// docs/adr/0059-the-project-of-a-folder.md.
import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { basename } from 'node:path';
import { gitSource } from './git-remote.js';

/** What the service takes as the name of a project. */
export const PROJECT_NAME = /^[A-Za-z0-9_.-]{1,64}$/;
const HASH_DIGITS = 10;
const READABLE = 64 - HASH_DIGITS - 1;

/**
 * Returns the name of a folder's project: that of its place in a git repository, equal for all clones of it; without a
 * remote, that of its place on this machine. A readable part and a hash, so that no two share a name.
 *
 * @param dir the folder's real, absolute path
 * @example await projectOf('/home/ci/ios', env) // 'acme-ios-5d41402abc', from git@github.com:acme/ios
 */
export async function projectOf(dir: string, env: NodeJS.ProcessEnv): Promise<string> {
  const source = await gitSource(dir, env);
  if (source === null) {
    // As the file system spells it: on a Mac, letters of either case lead to the same folder.
    const place = realpathSync.native(dir).normalize('NFC');
    return nameOf([basename(place)], ['place', place]);
  }
  const { remote, path } = source;
  const [owner = '', repository = ''] = remote.slice(1).slice(-2);
  return nameOf([owner, repository, path.at(-1) ?? ''], ['git', remote.join('/'), path.join('/').normalize('NFC')]);
}

function nameOf(words: readonly string[], identity: readonly string[]): string {
  const hash = createHash('sha256').update(identity.join('\0')).digest('hex').slice(0, HASH_DIGITS);
  const readable = words
    .map((word) => word.normalize('NFKD').replace(/[^A-Za-z0-9_.-]+/g, '-'))
    .filter((word) => /[A-Za-z0-9]/.test(word))
    .join('-')
    .slice(0, READABLE)
    .replace(/^[-.]+|[-.]+$/g, '');
  return `${readable === '' ? 'project' : readable}-${hash}`;
}
