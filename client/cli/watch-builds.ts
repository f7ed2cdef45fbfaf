// `cidermill build --watch`: a build, and another one after every change of the folder.
import { createHash } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { Scan } from '../files/scan.js';
import { watchFolder } from '../files/watch-folder.js';
import type { BuildRequest } from '../types.js';
import { type Scanned, scanToSend } from '../upload/push-folder.js';
import type { BuildCall, BuildOptions } from './build-options.js';
import { buildRequest } from './build-request.js';
import { EXIT_CANCELLED } from './exit-codes.js';
import { reportError } from './reported.js';
import type { Session } from './session.js';
import { sourceFolder } from './source-folder.js';
import { printable } from './terminal.js';
import { UsageError } from './usage-error.js';

/**
 * Runs one build; returns its exit code.
 *
 * @param scanned the folder as it was scanned just now; default: it is scanned
 */
export type RunBuild = (
  session: Session,
  request: BuildRequest,
  options: BuildOptions,
  scanned?: Scanned,
) => Promise<number>;

/**
 * Builds the folder, and again after each change, one build at a time, until Ctrl-C or SIGTERM. What changes while a build runs
 * is built after it. The first build fails the command if it cannot be submitted; later ones print the error and wait for the
 * next change.
 *
 * @returns the exit code of the last build
 */
export async function watchBuilds(
  session: Session,
  { request: first, options, words }: BuildCall & { request: BuildRequest },
  run: RunBuild,
): Promise<number> {
  const { context, clock, note, style } = session;
  const dir = sourceFolder(context, options.dir);
  const isSource = sourcesBeside(
    dir,
    options.artifacts === undefined ? null : realPath(resolve(context.cwd(), options.artifacts)),
  );
  const stopped = new AbortController();
  const stop = () => stopped.abort();
  context.on('SIGINT', stop);
  context.on('SIGTERM', stop);
  const watched = watchFolder(dir, { clock });
  let built: string | null = null;
  let code = EXIT_CANCELLED;
  const waiting = () => {
    if (!stopped.signal.aborted) note(`${style.err.dim('waiting for changes in')} ${printable(dir)}; Ctrl-C ends`);
  };
  const build = async () => {
    const isFirst = built === null;
    // A script from standard input can be read once only.
    const request = isFirst || options.scriptFile === '-' ? first : await buildRequest(context, options, words);
    const scanned = await scanToSend({ dir, project: options.project, env: context.env, clock });
    watched.follow(scanned.scan.files.map(({ name }) => name).filter(isSource));
    const state = stateOf(scanned.scan, request, isSource);
    if (state === built) return;
    stopped.signal.throwIfAborted();
    for (const warning of scanned.scan.warnings) note(`${style.err.yellow('warning:')} ${printable(warning)}`);
    built = state;
    code = await run(session, request, options, scanned);
    waiting();
  };
  try {
    await build();
    for (;;) {
      await watched.changed(stopped.signal);
      try {
        await build();
      } catch (error) {
        if (stopped.signal.aborted) throw error;
        code = await reportError(context, error);
        if (!existsSync(dir)) return code;
        built = '';
        waiting();
      }
    }
  } catch (error) {
    if (!stopped.signal.aborted) throw error;
    return code;
  } finally {
    watched.close();
    context.off('SIGINT', stop);
    context.off('SIGTERM', stop);
  }
}

/**
 * Returns whether a file is a source. Artifacts that are saved below the folder must not cause the next build.
 *
 * @throws UsageError when artifacts would be saved among the sources
 */
function sourcesBeside(dir: string, artifacts: string | null): (name: string) => boolean {
  if (artifacts === null) return () => true;
  if (!relative(artifacts, dir).startsWith('..')) {
    throw new UsageError(
      'with --watch, --artifacts must name another folder than the one that is built, and none around it',
    );
  }
  const below = relative(dir, artifacts).split(sep).join('/');
  return (name) => name !== below && !name.startsWith(`${below}/`);
}

/** The real path of something that need not exist. */
const realPath = (path: string): string =>
  existsSync(path) ? realpathSync(path) : join(realPath(dirname(path)), basename(path));

/** A text that is another one when a build would have other files or another script. */
function stateOf({ files }: Scan, request: BuildRequest, isSource: (name: string) => boolean): string {
  const hash = createHash('sha256').update(JSON.stringify(request));
  for (const { path, sha256, mode, name } of files) if (isSource(name)) hash.update(`\n${sha256} ${mode} ${path}`);
  return hash.digest('hex');
}
