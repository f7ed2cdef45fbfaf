// Turns the arguments of `cidermill build` into the body of POST /builds.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { BuildRequest } from '../types.js';
import type { BuildOptions } from './build-options.js';
import type { CliContext } from './context.js';
import { readStandardInput } from './prompt.js';
import { UsageError } from './usage-error.js';
import { utf8Input, wholeText } from './utf8-input.js';

/**
 * The request without its source when that is a folder.
 *
 * @throws UsageError unless there is exactly one script and at most one source
 */
export async function buildRequest(
  context: CliContext,
  options: BuildOptions & { json?: boolean },
  words: string[],
): Promise<BuildRequest> {
  const sources = [options.dir, options.repo, options.repoUrl].filter((source) => source !== undefined);
  if (sources.length > 1) throw new UsageError('give one of --dir, --repo and --repo-url');
  if (options.project !== undefined && sources.length > 0 && options.dir === undefined) {
    throw new UsageError('--project is only for folders; a repository is its own project');
  }
  if (options.watch) refuseBesideWatch(options);
  return {
    script: await scriptOf(context, options, words),
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

function refuseBesideWatch(options: BuildOptions & { json?: boolean }): void {
  if (options.repo ?? options.repoUrl) throw new UsageError('--watch is only for folders');
  if (options.detach) throw new UsageError('give one of --watch and --detach');
  if (options.json) throw new UsageError('--json prints one document, and --watch runs many builds: give one of them');
}

async function scriptOf(context: CliContext, { script, scriptFile }: BuildOptions, words: string[]): Promise<string> {
  const ways = [script, scriptFile, words.length > 0 ? words : undefined].filter((way) => way !== undefined);
  if (ways.length === 0) throw new UsageError('say what to run: --script, --script-file, or words after --');
  if (ways.length > 1) throw new UsageError('give one of --script, --script-file and words after --');
  if (scriptFile === undefined) {
    const given = script ?? words.map(shellWord).join(' ');
    return wholeText(given, 'the script', 'use --script-file');
  }
  if (scriptFile === '') throw new UsageError('--script-file needs the path of a file, or - for standard input');
  const bytes = await scriptBytes(context, scriptFile);
  return utf8Input(bytes, scriptFile === '-' ? 'the script on standard input' : `the script ${scriptFile}`);
}

async function scriptBytes(context: CliContext, scriptFile: string): Promise<Buffer> {
  try {
    return scriptFile === '-' ? await readStandardInput(context) : readFileSync(resolve(context.cwd(), scriptFile));
  } catch (error) {
    throw new UsageError(`cannot read the script: ${error instanceof Error ? error.message : error}`);
  }
}

/** Quotes a word for the shell. */
export function shellWord(word: string): string {
  return /^[A-Za-z0-9_\-+=:,./@%^]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function given<K extends keyof BuildRequest>(name: K, value: BuildRequest[K] | undefined): Partial<BuildRequest> {
  return value === undefined ? {} : { [name]: value };
}
