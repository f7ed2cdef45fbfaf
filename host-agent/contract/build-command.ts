/**
 * First argument of every build process. The packaged agent runs its one file with it, and a daemon recognizes build
 * processes by it: those of the version before have another path.
 */
export const BUILD_COMMAND = 'cidermill-build';
