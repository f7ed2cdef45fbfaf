// The Xcodes of a guest, found by their property lists, because names of applications are not reliable.
import { parsePlist } from '../../system/plist.js';
import { callGuest } from '../call.js';
import { encodeFrame } from '../frames.js';
import { guestProgram } from '../program.js';
import { GuestError, type GuestTransport } from '../transport.js';

export interface GuestXcode {
  readonly version: string;
  readonly build: string | null;
  /** Absolute path in the guest, without links. */
  readonly developerDir: string;
  readonly beta: boolean;
  /** The oldest macOS on which it runs; null: unknown. */
  readonly minimumMacos: string | null;
}

const APPLICATIONS = '/Applications';
const MOST_XCODES = 100;
const XCODE_ID = 'com.apple.dt.Xcode';

/** Returns the Xcodes below /Applications, in order. */
export async function listXcodes(
  transport: GuestTransport,
  options: { timeoutMs: number; signal?: AbortSignal | undefined },
): Promise<GuestXcode[]> {
  const found = new Map<string, GuestXcode>();
  let frames = 0;
  await callGuest(transport, guestProgram('frames.pl', 'xcodes.pl'), [encodeFrame('folder', APPLICATIONS)], {
    ...options,
    onFrame({ type, payload }) {
      if (type !== 'app' || ++frames > MOST_XCODES) throw new GuestError('bad_answer', 'unexpected frame');
      const xcode = parseXcode(payload.toString('utf8').split('\0'));
      if (xcode) found.set(xcode.developerDir, xcode);
    },
  });
  return inOrder([...found.values()]);
}

/** Sorts by version; of one version the release first, then the newest build. */
export function inOrder(xcodes: readonly GuestXcode[]): GuestXcode[] {
  return [...xcodes].sort(
    (a, b) =>
      compareVersions(a.version, b.version) ||
      Number(a.beta) - Number(b.beta) ||
      compareVersions(b.build ?? '', a.build ?? ''),
  );
}

/** Compares versions, or builds, by their numbers. */
export const compareVersions = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });

const VERSION = /^\d{1,3}(?:\.\d{1,3}){0,3}$/;
const BUILD = /^[0-9A-Za-z]{2,16}$/;

/** @param fields path of the application, developer folder, Info.plist, version.plist */
export function parseXcode([, developerDir = '', info = '', version = '']: readonly string[]): GuestXcode | null {
  const values = { ...parsePlist(info), ...parsePlist(version) };
  const number = values.CFBundleShortVersionString ?? '';
  const id = values.CFBundleIdentifier ?? XCODE_ID;
  if (id !== XCODE_ID || !VERSION.test(number) || !isPlainPath(developerDir)) return null;
  const build = BUILD.test(values.ProductBuildVersion ?? '') ? values.ProductBuildVersion! : null;
  const minimum = values.LSMinimumSystemVersion ?? '';
  return {
    version: number,
    build,
    developerDir,
    beta: build !== null && isBetaBuild(build),
    minimumMacos: VERSION.test(minimum) ? minimum : null,
  };
}

/**
 * Builds of betas end with a lower-case letter; a release candidate has the build of the release.
 *
 * @example isBetaBuild('17A5241e') // true
 */
export const isBetaBuild = (build: string): boolean => /[a-z]$/.test(build);

/** Returns whether it is an absolute path that can be passed to commands and shown. */
const isPlainPath = (path: string) => /^\/[^\p{C}]{1,500}$/u.test(path);

/** Returns the Xcode that a version means: the first of those that are in order. */
export function xcodeOf(xcodes: readonly GuestXcode[], version: string): GuestXcode | null {
  return xcodes.find((xcode) => xcode.version === version) ?? null;
}

/** Returns whether the Xcode runs on this macOS, as far as its property list says. */
export function runsOn({ minimumMacos }: GuestXcode, macos: string): boolean {
  return minimumMacos === null || compareVersions(macos, minimumMacos) >= 0;
}
