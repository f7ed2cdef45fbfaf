// The public keys whose packages this agent installs. A package has them in its program (tools/package/bundle-program.ts); a
// program that runs from anything else has none, and does not replace itself.

/** Public keys of minisign. Empty: signatures are not checked. */
export const publisherKeys: readonly string[] = [];
