/** Returns the code of a failed system call (`ENOENT`), or undefined for any other error. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** @example if (isErrno(error, 'ENOENT', 'ENOTDIR')) return null; */
export function isErrno(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes(errnoOf(error) ?? '');
}

/** Runs `fn`; returns undefined if it fails with one of these codes. */
export function unless<T>(codes: readonly string[], fn: () => T): T | undefined {
  try {
    return fn();
  } catch (error) {
    if (isErrno(error, ...codes)) return undefined;
    throw error;
  }
}
