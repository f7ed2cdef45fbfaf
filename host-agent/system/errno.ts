/** Returns the code of a failed system call (`ENOENT`), or undefined for any other error. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Runs `fn`; returns undefined when it fails with one of these codes. */
export function unless<T>(codes: readonly string[], fn: () => T): T | undefined {
  try {
    return fn();
  } catch (error) {
    const code = errnoOf(error);
    if (code !== undefined && codes.includes(code)) return undefined;
    throw error;
  }
}
