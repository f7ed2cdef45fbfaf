// The known CIDERMILL_* variables, for warnings about misspelled ones. Only warnings, because other programs may use
// the prefix too.
import { nearestName } from './nearest-name.js';

const PREFIX = 'CIDERMILL_';

/** Variables of the client, without those of the service's configuration. */
export const clientVariables = ['CIDERMILL_URL', 'CIDERMILL_API_KEY', 'CIDERMILL_OPERATOR_URL'];

/** Variables of `cidermill dev`, the host agent and builds. */
export const otherVariables = [
  'CIDERMILL_MACS',
  'CIDERMILL_FREE',
  'CIDERMILL_TEST_CLOCK',
  'CIDERMILL_HOST_DATA',
  'CIDERMILL_ENROLMENT_TOKEN',
  'CIDERMILL_GIT_USER',
  'CIDERMILL_GIT_TOKEN',
  'CIDERMILL_BUILD_ID',
  'CIDERMILL_REPO',
  'CIDERMILL_REF',
  'CIDERMILL_COMMIT',
  'CIDERMILL_PR',
  'CIDERMILL_RENTAL_ID',
  'CIDERMILL_ARTIFACTS',
  'CIDERMILL_DRIVER',
  'CIDERMILL_IMAGE',
  'CIDERMILL_GUEST_PASSWORD',
  'CIDERMILL_TOOLS_DIR',
];

export interface UnknownVariable {
  readonly name: string;
  /** The known variable that was probably meant; null: none is similar. */
  readonly nearest: string | null;
}

/** Returns the unknown CIDERMILL_* variables. Their values are not read. */
export function unknownVariables(
  environment: Readonly<Record<string, string | undefined>>,
  known: readonly string[],
): UnknownVariable[] {
  const suffixes = known.map((name) => name.slice(PREFIX.length));
  return Object.keys(environment)
    .filter((name) => name.startsWith(PREFIX) && environment[name] !== undefined && !known.includes(name))
    .map((name) => {
      // Compared without the common prefix, which would make all of them similar.
      const nearest = nearestName(name.slice(PREFIX.length), suffixes);
      return { name, nearest: nearest === null ? null : PREFIX + nearest };
    });
}
