// Parses what simctl says about the simulator runtimes of a guest. Its JSON differs between versions of Xcode, so each
// entry is parsed leniently and dropped when it says nothing useful.
import { z } from 'zod';
import { isSameVersion, platformOf, type RuntimeName, type RuntimePlatform } from './runtime-names.js';

export interface InstalledRuntime {
  readonly platform: RuntimePlatform;
  /** The name that simctl and Xcode show: `iOS 17.0`. */
  readonly name: string;
  /** May be more exact than the name: `17.0.1`. */
  readonly version: string;
  readonly build: string | null;
  /** Only `Ready` can be used; others are verified, mounted or broken. */
  readonly state: string;
}

const MOST_RUNTIMES = 200;

const text = z.string().max(300).nullish();
const diskImage = z.object({
  runtimeIdentifier: text,
  platformIdentifier: text,
  version: text,
  build: text,
  state: text,
});
const listed = z.object({
  identifier: text,
  platform: text,
  name: text,
  version: text,
  buildversion: text,
  isAvailable: z.boolean().nullish(),
});

/**
 * Parses the output of `simctl runtime list -j`, an object keyed by UUID. Returns null when it is not such an output.
 *
 * @example parseRuntimeList(json) // [{ platform: 'iOS', name: 'iOS 26.1', version: '26.1', build: '23B86', state: 'Ready' }]
 */
export function parseRuntimeList(json: string): InstalledRuntime[] | null {
  const images = objectOf(json);
  if (images === null || Array.isArray(images)) return null;
  return runtimesOf(Object.values(images), (value) => {
    const { data } = diskImage.safeParse(value);
    return data && { identifier: data.runtimeIdentifier, ...data, state: data.state ?? 'Unknown' };
  });
}

/** Parses the output of `simctl list runtimes -j`. Returns null when it is not such an output. */
export function parseAvailableRuntimes(json: string): InstalledRuntime[] | null {
  const { data } = z.object({ runtimes: z.array(z.unknown()) }).safeParse(objectOf(json));
  if (!data) return null;
  return runtimesOf(data.runtimes, (value) => {
    const { data: runtime } = listed.safeParse(value);
    if (!runtime) return undefined;
    const [word, version] = (runtime.name ?? '').split(' ');
    return {
      identifier: runtime.identifier,
      platformIdentifier: runtime.platform ?? word,
      version: runtime.version ?? version,
      build: runtime.buildversion,
      state: runtime.isAvailable === false ? 'Unavailable' : 'Ready',
    };
  });
}

type Raw = Omit<z.infer<typeof diskImage>, 'runtimeIdentifier' | 'state'> & {
  identifier?: string | null | undefined;
  state: string;
};

// com.apple.CoreSimulator.SimRuntime.iOS-17-0
const IDENTIFIER = /(?:^|\.)([A-Za-z]{3,20})-(\d{1,3}(?:-\d{1,3}){0,2})$/;
const VERSION = /^\d{1,3}(?:\.\d{1,3}){0,2}$/;

function runtimesOf(values: readonly unknown[], read: (value: unknown) => Raw | undefined): InstalledRuntime[] {
  const runtimes: InstalledRuntime[] = [];
  for (const value of values.slice(0, MOST_RUNTIMES)) {
    const raw = read(value);
    if (!raw) continue;
    const [, word = '', dashed] = IDENTIFIER.exec(raw.identifier ?? '') ?? [];
    const platform = platformOf(word) ?? platformOf(raw.platformIdentifier?.split('.').at(-1) ?? '');
    const shown = dashed?.replaceAll('-', '.');
    const version = VERSION.test(raw.version ?? '') ? raw.version! : shown;
    if (platform === null || version === undefined) continue;
    const build = /^[0-9A-Za-z]{3,16}$/.test(raw.build ?? '') ? raw.build! : null;
    runtimes.push({ platform, name: `${platform} ${shown ?? version}`, version, build, state: raw.state });
  }
  return runtimes;
}

function objectOf(json: string): object | null {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' ? value : null;
  } catch {
    // A tool of another version, or a hostile guest: the caller says that there is no list.
    return null;
  }
}

/** Returns the names of the runtimes that can be used, each once, oldest version first within a platform. */
export function readyNames(runtimes: readonly InstalledRuntime[]): string[] {
  const ready = runtimes.filter(({ state }) => state === 'Ready').map(({ name }) => name);
  return [...new Set(ready)].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}

/** Returns the installed runtimes that satisfy the name, ready ones first. */
export function matching(runtimes: readonly InstalledRuntime[], wanted: RuntimeName): InstalledRuntime[] {
  const fits = ({ platform, name, version, build }: InstalledRuntime) =>
    platform === wanted.platform &&
    (isSameVersion(version, wanted.version) || isSameVersion(name.slice(platform.length + 1), wanted.version)) &&
    (wanted.build === null || build === wanted.build);
  return runtimes.filter(fits).sort((a, b) => Number(b.state === 'Ready') - Number(a.state === 'Ready'));
}
