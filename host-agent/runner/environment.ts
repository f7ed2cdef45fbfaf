import { type BuildSecret, type BuildSpec, secretBytes } from '../../shared/protocol/index.js';
import type { BuildPaths } from '../driver/build-mac.js';

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
