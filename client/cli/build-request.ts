// Turns the arguments of `cidermill build` into the body of POST /builds.
import { readFileSync } from 'node:fs';
import type { BuildRequest } from '../types.js';
import type { BuildOptions } from './build-options.js';
import { UsageError } from './usage-error.js';

/**
 * The request without its source when that is a folder.
 *
 * @throws UsageError unless there is exactly one script and at most one source
 */
export function buildRequest(options: BuildOptions, words: string[]): BuildRequest {
  const sources = [options.dir, options.repo, options.repoUrl].filter((source) => source !== undefined);
  if (sources.length > 1) throw new UsageError('give one of --dir, --repo and --repo-url');
  return {
    script: scriptOf(options, words),
    ...given('repo', options.repo),
    ...given('repo_url', options.repoUrl),
    ...given('ref', options.ref),
    ...given('commit', options.commit),
    ...given('pr', options.pr),
    ...given('xcode', options.xcode),
    ...given('labels', options.label),
    ...given('rental_id', options.rental),
    ...given('timeout_min', options.timeout),
    ...given('priority', options.priority),
    ...given('clean_tree', options.clean),
    ...given('notify_url', options.notifyUrl),
    ...given('queue_until_rental', options.queueUntilRental),
  };
}

function scriptOf({ script, scriptFile }: BuildOptions, words: string[]): string {
  const ways = [script, scriptFile, words.length > 0 ? words : undefined].filter((way) => way !== undefined);
  if (ways.length === 0) throw new UsageError('say what to run: --script, --script-file, or words after --');
  if (ways.length > 1) throw new UsageError('give one of --script, --script-file and words after --');
  if (script !== undefined) return script;
  if (scriptFile === undefined) return words.map(shellWord).join(' ');
  try {
    return readFileSync(scriptFile === '-' ? 0 : scriptFile, 'utf8');
  } catch (error) {
    throw new UsageError(`cannot read the script: ${error instanceof Error ? error.message : error}`);
  }
}

/** Quotes a word for the shell. */
export function shellWord(word: string): string {
  return /^[A-Za-z0-9_\-+=:,./@%^]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function given<K extends keyof BuildRequest>(
  name: K,
  value: BuildRequest[K] | undefined,
): Partial<BuildRequest> {
  return value === undefined ? {} : { [name]: value };
}
