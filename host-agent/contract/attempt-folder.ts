// The paths of an attempt on this host. The daemon and the build process share the attempt's folder and use it to end the
// build, so the build never gets a path in it. The files that the build may know are in the folder of its Mac.
import path from 'node:path';

export interface AttemptRef {
  build_id: string;
  attempt: number;
}

const BUILD_ID = /^[A-Za-z0-9_][A-Za-z0-9_-]{0,99}$/;

/**
 * Returns the name of the attempt's folders. Throws a RangeError for an id that is not a valid name.
 *
 * @example attemptName({ build_id: 'rb_7', attempt: 2 }) // 'rb_7.2'
 */
export function attemptName({ build_id, attempt }: AttemptRef): string {
  if (!BUILD_ID.test(build_id)) throw new RangeError(`build id ${JSON.stringify(build_id)} cannot name a folder`);
  return `${build_id}.${attempt}`;
}

/** Returns the attempt of a folder name, or null for any other name. */
export function parseAttemptName(name: string): AttemptRef | null {
  const match = /^([A-Za-z0-9_][A-Za-z0-9_-]{0,99})\.([1-9]\d{0,8})$/.exec(name);
  return match?.[1] && match[2] ? { build_id: match[1], attempt: Number(match[2]) } : null;
}

/** The attempt's folder, `DATA/builds/<random>/<build_id>.<attempt>/`, and the files in it. */
export interface AttemptFiles {
  folder: string;
  /** The spec as received; never the secrets. */
  spec: string;
  /** Which process runs the attempt; see `attemptState`. */
  state: string;
  /** The masked log, append-only. */
  spool: string;
  /** Written last and atomically, see `signed-result.ts`. An attempt with this file has ended. */
  result: string;
  /** Unix socket on which the build process listens. */
  control: string;
  /** The artifacts of a virtual machine on their way to `kept`. */
  incoming: string;
  /** The collected artifacts, named by their number in the result. */
  kept: string;
  reserve: string;
}

export function attemptFiles(folder: string): AttemptFiles {
  const inside = (name: string) => path.join(folder, name);
  return {
    folder,
    spec: inside('spec.json'),
    state: inside('state.json'),
    spool: inside('spool'),
    result: inside('result.json'),
    control: inside('control'),
    incoming: inside('incoming'),
    kept: inside('kept'),
    reserve: inside('reserve'),
  };
}

/** The files of an attempt inside its Mac, in the folder `runs`. The build knows them, and may change or delete them. */
export interface BuildFiles {
  folder: string;
  script: string;
  /** Holds the secrets that are files. */
  secrets: string;
  /** CIDERMILL_ARTIFACTS. */
  artifacts: string;
}

export const buildFiles = (runs: string, ref: AttemptRef): BuildFiles => buildFilesIn(runs, attemptName(ref));

/** @param name of the attempt's folder */
export function buildFilesIn(runs: string, name: string): BuildFiles {
  const folder = path.join(runs, name);
  const inside = (name: string) => path.join(folder, name);
  return { folder, script: inside('script'), secrets: inside('secrets'), artifacts: inside('artifacts') };
}

/** Returns the environment variable that marks every process of this attempt, and no other process of this host or Mac. */
export function processMark(files: BuildFiles): string {
  return `CIDERMILL_ARTIFACTS=${files.artifacts}`;
}
