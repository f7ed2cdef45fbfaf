// Folders that macOS shows as one file. As an artifact such a bundle is one archive, NAME.tar.gz: its symbolic links and
// modes are part of what it is. A comment in a global header at the beginning says that the service made the archive.

const KINDS = new Set(
  'app appex framework xcframework xcarchive xcresult dsym bundle docc docarchive playground'.split(' '),
);
const ENDING = '.tar.gz';

export const BUNDLE_COMMENT = 'cidermill bundle';

/** Whether a folder of this name is a bundle: `App.app`, but not `.app`. */
export function isBundleName(name: string): boolean {
  const dot = name.lastIndexOf('.');
  return dot > 0 && KINDS.has(name.slice(dot + 1).toLowerCase());
}

/** The name of the artifact that holds the bundle. */
export const archiveNameOf = (bundle: string): string => `${bundle}${ENDING}`;

/** The name of the bundle that an artifact of this name may hold, or null. */
export function bundleNameOf(artifact: string): string | null {
  const name = artifact.endsWith(ENDING) ? artifact.slice(0, -ENDING.length) : '';
  return isBundleName(name.slice(name.lastIndexOf('/') + 1)) ? name : null;
}
