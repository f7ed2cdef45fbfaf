import { isErrno } from '../../shared/errno.js';
import { hostFailure } from '../../shared/messages/host-failures.js';
import { type BuildSecret, type BuildSpec, secretBytes } from '../../shared/protocol/index.js';
import { BuildStepError } from '../contract/build-step-error.js';
import type { BuildPaths } from '../driver/build-mac.js';
import { WrapperNotStarted } from './terminal.js';

/** Builds are not interactive: no pager, no prompt, no editor. Secrets of these names override them. */
const NON_INTERACTIVE = {
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  GIT_EDITOR: 'true',
};

export interface BuildEnvironment {
  /** What the service sets: seen by the script, and by the service's programs that start it. */
  env: Record<string, string>;
  /**
   * The secrets, which only the script sees. Any of them may change how a program works (PERL5OPT, NODE_OPTIONS, TMOUT),
   * and none may do so to a program of the service.
   */
  variables: Record<string, string>;
  /** The secrets that no variable can hold: the variables of these names have the path of a file. */
  files: Record<string, Buffer>;
}

/**
 * Returns the environment of a build; its secrets are nowhere else. On this host, processes of the same user can read it
 * (`/proc/<pid>/environ`, `ps -E`); isolation is up to the driver. An unknown label is an empty string, so that scripts
 * under `set -u` can use it.
 */
export function buildEnvironment(options: {
  spec: BuildSpec;
  secrets: readonly BuildSecret[];
  paths: BuildPaths;
  developerDir: string | null;
  /** The commit that the source step checked out; null for an upload. */
  commit: string | null;
}): BuildEnvironment {
  const { spec, paths } = options;
  const { labels } = spec;
  const own = {
    HOME: paths.home,
    TMPDIR: paths.tmp,
    CI: 'true',
    CIDERMILL_BUILD_ID: spec.build_id,
    CIDERMILL_REPO: labels.repo ?? '',
    CIDERMILL_REF: labels.ref ?? '',
    CIDERMILL_COMMIT: options.commit ?? labels.commit ?? '',
    CIDERMILL_PR: labels.pr === null ? '' : String(labels.pr),
    CIDERMILL_RENTAL_ID: spec.rental_id,
    CIDERMILL_ARTIFACTS: paths.artifacts,
    ...(options.developerDir === null ? {} : { DEVELOPER_DIR: options.developerDir }),
  };
  const secrets = options.secrets.filter(({ name }) => !Object.hasOwn(own, name));
  const isFile = ({ encoding }: BuildSecret) => encoding !== undefined;
  return {
    env: { ...NON_INTERACTIVE, ...own },
    variables: Object.fromEntries(secrets.filter((s) => !isFile(s)).map(({ name, value }) => [name, value])),
    files: Object.fromEntries(secrets.filter(isFile).map((secret) => [secret.name, secretBytes(secret)])),
  };
}

// The operating system limits the arguments and environment of a new process: about 1 MiB together on macOS; on Linux
// a quarter of the stack limit, and 128 KiB per variable.

/** With secrets of this size, a shell that does not start has no other explanation. */
const MOST_TOTAL_BYTES = 900 * 1024;
const MOST_VARIABLE_BYTES = 128 * 1024;
const NAMED = 3;

/**
 * Returns the build's failure if its shell could not be started because the secrets exceed the environment limit;
 * otherwise returns the error unchanged.
 */
export function explainNotStarted(error: unknown, secrets: readonly BuildSecret[]): unknown {
  if (error instanceof BuildStepError) return error;
  const sizes = secrets
    .filter(({ encoding }) => encoding === undefined)
    .map(({ name, value }) => ({ name, bytes: name.length + Buffer.byteLength(value) + 2 }))
    .sort((a, b) => b.bytes - a.bytes);
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  const isTooLarge = total > MOST_TOTAL_BYTES || (sizes[0]?.bytes ?? 0) > MOST_VARIABLE_BYTES;
  const isNotStarted = error instanceof WrapperNotStarted || isSpawnError(error);
  if (!saysSo(error) && !(isTooLarge && isNotStarted)) return error;
  const largest = sizes.slice(0, NAMED).map(({ name, bytes }) => `${name} (${bytes} bytes)`);
  const message =
    largest.length === 0
      ? hostFailure('environment_too_large', { bytes: total })
      : hostFailure('environment_too_large_by', { bytes: total, largest: largest.join(', ') });
  return new BuildStepError('script', 'environment_too_large', 'customer', message, { cause: error });
}

/** The error of exec (E2BIG), or node-pty's message for it. */
const saysSo = (error: unknown): boolean =>
  isErrno(error, 'E2BIG') || (error instanceof Error && /\bE2BIG\b|Argument list too long/.test(error.message));

/** node-pty's error, which has no code: `forkpty(3) failed.`, `posix_spawn failed`. */
const isSpawnError = (error: unknown): boolean =>
  error instanceof Error && /forkpty|posix_spawn|exec/.test(error.message);
