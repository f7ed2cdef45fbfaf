// One `cidermill build` from the folder to the exit code.
import { printedJson } from '../../shared/clean-text.js';
import { CidermillError } from '../cidermill-error.js';
import type { CallOptions } from '../http/exchange.js';
import type { Build, BuildRequest, CreatedBuild, WorkspaceFile } from '../types.js';
import type { Pushed, Scanned } from '../upload/push-folder.js';
import { submitFolder } from '../upload/submit-folder.js';
import type { BuildCall, BuildOptions } from './build-options.js';
import { buildRequest } from './build-request.js';
import type { CliContext } from './context.js';
import { EXIT_CANCELLED, EXIT_OK, EXIT_OTHER, exitCodeOfBuild } from './exit-codes.js';
import { followBuild } from './follow-build.js';
import { formatCount } from './format.js';
import { GRACE_MS, listenForInterrupts } from './interrupt.js';
import type { LogNotes } from './log-excerpt.js';
import { warningsOf } from './said.js';
import { openSession, type Session } from './session.js';
import { sourceFolder } from './source-folder.js';
import { printable } from './terminal.js';
import { showUploadProgress } from './upload-progress.js';
import type { RunBuild } from './watch-builds.js';

/**
 * Runs `cidermill build`.
 *
 * @returns the exit code
 */
export async function runBuildCommand(context: CliContext, { options, words }: BuildCall): Promise<number> {
  const request = await buildRequest(context, options, words);
  const session = openSession(context, options, { whenUnread: 'finish' });
  try {
    if (options.artifacts !== undefined) {
      const { targetFolder } = await import('./build-artifacts.js');
      targetFolder(session, options.artifacts, '--artifacts');
    }
    if (!options.watch) return await runBuild(session, request, options);
    const { watchBuilds } = await import('./watch-builds.js');
    return await watchBuilds(session, { request, options, words }, runBuild);
  } finally {
    session.close();
  }
}

const runBuild: RunBuild = async (session, request, options, scanned) => {
  const { context, note, style } = session;
  const stopped = new AbortController();
  const left = new AbortController();
  let build: CreatedBuild | null = null;
  let pushed: Pushed | null = null;
  const interrupts = listenForInterrupts(context, session.clock, {
    onStop: () => stopped.abort(new DOMException('stopped, nothing was submitted', 'AbortError')),
    onHeld: () => note('\nThe build is being submitted; Ctrl-C again stops at once.'),
    onGivenUp() {
      note('There may be a build: cidermill builds');
      stopped.abort(new DOMException('stopped', 'AbortError'));
    },
    onAsked: () => note(`\nCanceling ${build?.id} in ${GRACE_MS / 1000} s; Ctrl-C again leaves it running.`),
    onCancel: () => build && void cancel(session, build.id),
    onLeave(cancelling) {
      note(cancelling ? `\n${build?.id} is being canceled.` : `\n${build?.id} goes on: cidermill logs -f ${build?.id}`);
      left.abort();
    },
  });
  try {
    session.connectAhead();
    ({ build, pushed } = await submit(session, request, { ...options, scanned }, stopped.signal, interrupts));
    interrupts.watching();
    if (build.notify) note(`notifications to ${printable(build.notify.url)} are signed with ${build.notify.secret}`);
    if (options.detach) {
      session.answer(build, ({ id }) => `${id}\n`);
      return EXIT_OK;
    }
    const onSpareTime = () => {
      if (pushed) saveIndex(session, pushed);
      pushed = null;
    };
    const followed = await followBuild(session, build, { signal: left.signal, onSpareTime });
    return await finish(session, followed.build, followed.notes, options);
  } catch (error) {
    if (left.signal.aborted) {
      if (session.json) session.answer(build, () => '');
      return EXIT_CANCELLED;
    }
    if (build && error instanceof CidermillError) {
      note(`${style.err.yellow('note:')} ${build.id} was submitted; see cidermill logs -f ${build.id}`);
    }
    throw error;
  } finally {
    if (pushed) saveIndex(session, pushed);
    interrupts.stop();
  }
};

/** The request with the id of the Mac that it is pinned to, which may be given by name. */
async function withRentalId(session: Session, request: BuildRequest, signal: AbortSignal): Promise<BuildRequest> {
  if (request.rental_id === undefined) return request;
  // Loaded only when needed: most builds are not pinned.
  const [{ rentalsApi }, { rentalIdOf }] = await Promise.all([import('../api/rentals.js'), import('../find-macs.js')]);
  return { ...request, rental_id: await rentalIdOf(rentalsApi(session.wire), request.rental_id, { signal }) };
}

interface Submitted {
  build: CreatedBuild;
  /** The folder it is built from; null for a repository. */
  pushed: Pushed | null;
}

/** Sends the folder, if that is the source, and submits the build. */
async function submit(
  session: Session,
  given: BuildRequest,
  { dir, project, scanned }: BuildOptions & { scanned: Scanned | undefined },
  signal: AbortSignal,
  interrupts: Pick<ReturnType<typeof listenForInterrupts>, 'submitting' | 'refused'>,
): Promise<Submitted> {
  const request = await withRentalId(session, given, signal);
  const create = async (more: Partial<BuildRequest>, options: CallOptions) => {
    interrupts.submitting();
    try {
      return await session.client.builds.create({ ...request, ...more }, { signal, ...options });
    } catch (error) {
      interrupts.refused();
      throw error;
    }
  };
  if (request.repo || request.repo_url) return { build: await create({}, {}), pushed: null };
  const progress = showUploadProgress(session.context.stderr);
  try {
    return await submitFolder(session.client, request, {
      dir: sourceFolder(session.context, dir),
      project,
      ...(scanned ? { scanned } : {}),
      env: session.context.env,
      clock: session.clock,
      signal,
      onWarning: (message) => session.note(`${session.style.err.yellow('warning:')} ${printable(message)}`),
      onProgress: progress.update,
      onWait(error, waitMs) {
        progress.done();
        session.noteWait(error, waitMs);
      },
      create: (complete, options) => {
        progress.done();
        return create(complete, options);
      },
    });
  } finally {
    progress.done();
  }
}

/** A cache that cannot be written must not fail the build. */
function saveIndex({ note, style }: Session, pushed: Pushed): void {
  try {
    pushed.saveIndex();
  } catch (error) {
    note(
      `${style.err.yellow('warning:')} the local index was not stored: ${printable(error instanceof Error ? error.message : String(error))}`,
    );
  }
}

async function cancel({ client, note, style }: Session, id: string): Promise<void> {
  try {
    await client.builds.cancel(id);
  } catch (error) {
    note(
      `${style.err.red('error:')} ${id} could not be canceled: ${printable(error instanceof Error ? error.message : String(error))}`,
    );
  }
}

/** Saves artifacts, prints the failure and the JSON document; returns the exit code. */
async function finish(session: Session, build: Build, notes: LogNotes, options: BuildOptions): Promise<number> {
  const { json, note, print, style } = session;
  for (const warning of warningsOf(build)) note(`${style.err.yellow('warning:')} ${printable(warning)}`);
  let code = exitCodeOfBuild(build);
  let artifacts: WorkspaceFile[] = [];
  try {
    artifacts = await collectArtifacts(session, build, options);
    if (artifacts.some((artifact) => 'saved_to' in artifact && artifact.saved_to === null)) code ||= EXIT_OTHER;
  } catch (error) {
    // The build's result takes precedence; this counts only if it succeeded.
    if (code === EXIT_OK && options.artifacts !== undefined) throw error;
    session.note(
      `its artifacts could not be listed or saved: ${printable(error instanceof Error ? error.message : String(error))}`,
    );
  }
  if (build.status !== 'succeeded') {
    const { showFailure } = await import('./failure-card.js');
    await showFailure(session, build, notes);
  }
  if (json) await print(`${printedJson({ ...build, artifacts }, 2)}\n`);
  return code;
}

async function collectArtifacts(
  session: Session,
  build: Build,
  { artifacts: folder, dir }: BuildOptions,
): Promise<WorkspaceFile[]> {
  if (build.timings.started_at === null) return [];
  const { downloadArtifacts, listArtifacts } = await import('./build-artifacts.js');
  const artifacts = await listArtifacts(session, build.id);
  if (artifacts.length === 0) return artifacts;
  if (folder === undefined) {
    session.note(`${formatCount(artifacts.length, 'artifact')}: cidermill artifacts ${build.id} --output DIR`);
    return artifacts;
  }
  const source = build.upload_id === null ? undefined : sourceFolder(session.context, dir);
  const saved = await downloadArtifacts(session, build.id, artifacts, folder, source);
  const count = saved.filter(({ saved_to }) => saved_to !== null).length;
  session.note(`${formatCount(count, 'artifact')} in ${folder}`);
  return saved;
}
