// Names of simulator runtimes: `iOS 26.1`, or with a build: `iOS 26.1 (23B86)`.

const PLATFORMS = ['iOS', 'tvOS', 'watchOS', 'visionOS'] as const;
export type RuntimePlatform = (typeof PLATFORMS)[number];

/** What Apple's tools and the names of exported files call a platform, in lower case. */
const ALIASES: Readonly<Record<string, RuntimePlatform>> = {
  ios: 'iOS',
  iphonesimulator: 'iOS',
  tvos: 'tvOS',
  appletvsimulator: 'tvOS',
  watchos: 'watchOS',
  watchsimulator: 'watchOS',
  visionos: 'visionOS',
  xros: 'visionOS',
  xrsimulator: 'visionOS',
};

export interface RuntimeName {
  readonly platform: RuntimePlatform;
  readonly version: string;
  /** Null: any build of the version. */
  readonly build: string | null;
}

const NAME = /^([A-Za-z]{3,20}) (\d{1,3}(?:\.\d{1,3}){0,2})(?: \(([0-9A-Za-z]{3,16})\))?$/;

/**
 * Returns null for anything that is not the name of a runtime.
 *
 * @example parseRuntimeName('iOS 26.1') // { platform: 'iOS', version: '26.1', build: null }
 */
export function parseRuntimeName(name: string): RuntimeName | null {
  const [, word = '', version, build = null] = NAME.exec(name) ?? [];
  const platform = platformOf(word);
  return platform === null || version === undefined ? null : { platform, version, build };
}

/** @example platformOf('iphonesimulator') // 'iOS' */
export function platformOf(word: string): RuntimePlatform | null {
  const key = word.toLowerCase();
  return Object.hasOwn(ALIASES, key) ? ALIASES[key]! : null;
}

/** Compares versions with trailing zeros left out: `26` and `26.0` are the same. */
export function isSameVersion(a: string, b: string): boolean {
  const plain = (version: string) => version.replace(/(?:\.0+)+$/, '');
  return plain(a) === plain(b);
}

/**
 * Returns which runtime a file holds, by the names that `xcodebuild -exportPath` and Apple's downloads give to files; null
 * for any other file.
 *
 * @example runtimeOfFile('iphonesimulator_26.1_23B86.dmg') // { platform: 'iOS', version: '26.1', build: '23B86' }
 */
export function runtimeOfFile(file: string): RuntimeName | null {
  if (!/\.dmg$/i.test(file)) return null;
  const words = file.slice(0, -'.dmg'.length).split(/[ _()-]+/);
  const platform = words.map(platformOf).find((found) => found !== null);
  const version = words.find((word) => /^\d{1,3}(?:\.\d{1,3}){0,2}$/.test(word));
  if (!platform || version === undefined) return null;
  const build = words.find((word) => /^\d{2}[A-Z]\d{1,5}[a-z]?$/.test(word)) ?? null;
  return { platform, version, build };
}

/** Returns the file among `files` that holds the runtime, or null. With several builds of one version, the last by name. */
export function runtimeFile(files: readonly string[], wanted: RuntimeName): string | null {
  const fits = (file: string) => {
    const found = runtimeOfFile(file);
    return (
      found?.platform === wanted.platform &&
      isSameVersion(found.version, wanted.version) &&
      (wanted.build === null || found.build === wanted.build)
    );
  };
  return files.filter(fits).sort().at(-1) ?? null;
}
