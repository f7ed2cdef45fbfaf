// Bundles: folders that macOS shows as one file. As an artifact, a bundle is one archive, NAME.tar.gz, because its
// symbolic links and modes are part of it. A comment in a global header at the start says that the service created
// the archive.

const KINDS = new Set(
  'app appex framework xcframework xcarchive xcresult dsym bundle docc docarchive playground'.split(' '),
);
const ENDING = '.tar.gz';

export const BUNDLE_COMMENT = 'cidermill bundle';

/** Returns whether a folder of this name is a bundle: `App.app`, but not `.app`. */
export function isBundleName(name: string): boolean {
  const dot = name.lastIndexOf('.');
  return dot > 0 && KINDS.has(name.slice(dot + 1).toLowerCase());
}

/** Returns the name of the artifact that contains the bundle. */
export const archiveNameOf = (bundle: string): string => `${bundle}${ENDING}`;

/** Returns the name of the bundle that an artifact of this name may contain, or null. */
export function bundleNameOf(artifact: string): string | null {
  const name = artifact.endsWith(ENDING) ? artifact.slice(0, -ENDING.length) : '';
  return isBundleName(name.slice(name.lastIndexOf('/') + 1)) ? name : null;
}
