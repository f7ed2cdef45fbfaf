import type { BuildSecret, BuildSpec } from '../../shared/protocol/index.js';
import type { BuildPaths } from '../driver/build-mac.js';

/** Builds are not interactive: no pager, no prompt, no editor. Secrets of these names override them. */
const NON_INTERACTIVE = {
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  GIT_EDITOR: 'true',
};

/**
 * Returns the environment of a build, which includes the secrets; they are nowhere else. On this host, processes of
 * the same user can read it (`/proc/<pid>/environ`, `ps -E`); isolation is up to the driver. An unknown label is an
 * empty string, so that scripts under `set -u` can use it.
 */
export function buildEnvironment(options: {
  spec: BuildSpec;
  secrets: readonly BuildSecret[];
  paths: BuildPaths;
  developerDir: string | null;
  /** The commit that the source step checked out; null for an upload. */
  commit: string | null;
}): Record<string, string> {
  const { spec, paths } = options;
  const { labels } = spec;
  return {
    ...NON_INTERACTIVE,
    ...Object.fromEntries(options.secrets.map(({ name, value }) => [name, value])),
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
}
