// Names of CIDERMILL_* variables, for warnings about misspelt ones. A warning and no refusal: other programs may use
// the prefix too.
import { nearestName } from './nearest-name.js';

const PREFIX = 'CIDERMILL_';

/** Of the client, without those of the service's configuration. */
export const clientVariables = ['CIDERMILL_URL', 'CIDERMILL_API_KEY', 'CIDERMILL_OPERATOR_URL'];

/** Of `cidermill dev`, the host agent and builds. */
export const otherVariables = [
  ...['CIDERMILL_MACS', 'CIDERMILL_FREE', 'CIDERMILL_TEST_CLOCK', 'CIDERMILL_LOG_LEVEL'],
  ...['CIDERMILL_HOST_DATA', 'CIDERMILL_ENROLMENT_TOKEN', 'CIDERMILL_GIT_USER', 'CIDERMILL_GIT_TOKEN'],
  ...['CIDERMILL_BUILD_ID', 'CIDERMILL_REPO', 'CIDERMILL_REF', 'CIDERMILL_COMMIT', 'CIDERMILL_PR'],
  ...['CIDERMILL_RENTAL_ID', 'CIDERMILL_ARTIFACTS'],
];

export interface UnknownVariable {
  readonly name: string;
  /** The variable that it was probably meant to be; null: none is near. */
  readonly nearest: string | null;
}

/** Lists the CIDERMILL_* variables that are not among the known ones. Their values are not looked at. */
export function unknownVariables(
  environment: Readonly<Record<string, string | undefined>>,
  known: readonly string[],
): UnknownVariable[] {
  const suffixes = known.map((name) => name.slice(PREFIX.length));
  return Object.keys(environment)
    .filter((name) => name.startsWith(PREFIX) && environment[name] !== undefined && !known.includes(name))
    .map((name) => {
      // All begin alike, which would make any two of them near.
      const nearest = nearestName(name.slice(PREFIX.length), suffixes);
      return { name, nearest: nearest === null ? null : PREFIX + nearest };
    });
}
