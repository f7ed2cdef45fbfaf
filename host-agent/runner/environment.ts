import type { BuildSecret, BuildSpec } from '../../shared/protocol/index.js';
import type { MacPaths } from '../driver/driver.js';

/** Nobody is there to page through output, type a name or edit a message. Secrets of these names win. */
const NOBODY_ANSWERS = {
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  GIT_EDITOR: 'true',
};

/**
 * The variables of a build. The secrets are among them and nowhere else; on this host they can be read by the
 * processes of the same user (`/proc/<pid>/environ`, `ps -E`), which is what a driver isolates or does not.
 * A label that is not known is an empty string, so that scripts under `set -u` may ask for it.
 */
export function buildEnvironment(options: {
  spec: BuildSpec;
  secrets: readonly BuildSecret[];
  paths: MacPaths;
  artifacts: string;
  developerDir: string | null;
  /** Commit that the source step checked out, if it knows. */
  commit: string | null;
}): Record<string, string> {
  const { spec, paths } = options;
  const { labels } = spec;
  return {
    ...NOBODY_ANSWERS,
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
    CIDERMILL_ARTIFACTS: options.artifacts,
    ...(options.developerDir === null ? {} : { DEVELOPER_DIR: options.developerDir }),
  };
}
