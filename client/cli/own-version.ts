/** The version of the package that this command belongs to. */
export async function ownVersion(): Promise<string> {
  const { createRequire } = await import('node:module');
  const manifest: { version: string } = createRequire(import.meta.url)('../../../package.json');
  return manifest.version;
}
