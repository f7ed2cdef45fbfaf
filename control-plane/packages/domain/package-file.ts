// The names of packages, which `npm run package` gives, and the order of their versions.

export type PackageKind = 'host-agent' | 'cli' | 'full';

export interface PackageName {
  readonly kind: PackageKind;
  readonly version: string;
  /** `darwin-arm64`; null: runs everywhere. */
  readonly platform: string | null;
}

export interface PackageFile extends PackageName {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Absolute path. */
  readonly file: string;
}

const VERSION = String.raw`\d{1,9}\.\d{1,9}\.\d{1,9}(?:-[0-9A-Za-z]+(?:[.-][0-9A-Za-z]+)*)?`;
const AGENT = new RegExp(`^cidermill-host-agent-(${VERSION})-((?:darwin|linux)-(?:arm64|x64))\\.tar\\.gz$`);
const CLIENT = new RegExp(`^cidermill-cli-(${VERSION})\\.tgz$`);
const FULL = new RegExp(`^cidermill-(${VERSION})\\.tgz$`);

/** @example parsePackageName('cidermill-cli-1.2.3.tgz') // { kind: 'cli', version: '1.2.3', platform: null } */
export function parsePackageName(name: string): PackageName | null {
  const [, agent, platform] = AGENT.exec(name) ?? [];
  if (agent !== undefined && platform !== undefined) return { kind: 'host-agent', version: agent, platform };
  const [, client] = CLIENT.exec(name) ?? [];
  if (client !== undefined) return { kind: 'cli', version: client, platform: null };
  const [, full] = FULL.exec(name) ?? [];
  return full === undefined ? null : { kind: 'full', version: full, platform: null };
}

/** Compares by the rules of semantic versions: negative when `a` is older. */
export function compareVersions(a: string, b: string): number {
  const [coreA, preA] = split(a);
  const [coreB, preB] = split(b);
  const byCore = compareParts(coreA, coreB);
  if (byCore !== 0) return byCore;
  if (preA.length === 0 || preB.length === 0) return preB.length - preA.length;
  return compareParts(preA, preB);
}

function split(version: string): [core: string[], pre: string[]] {
  const at = version.indexOf('-');
  if (at < 0) return [version.split('.'), []];
  return [version.slice(0, at).split('.'), version.slice(at + 1).split('.')];
}

function compareParts(a: readonly string[], b: readonly string[]): number {
  for (const [i, left] of a.entries()) {
    const right = b[i];
    if (right === undefined) return 1;
    const numbers = [left, right].map((part) => (/^\d+$/.test(part) ? Number(part) : null));
    const [m, n] = numbers;
    if (m != null && n != null && m !== n) return m - n;
    // Numbers are older than words.
    if ((m === null) !== (n === null)) return m === null ? 1 : -1;
    if (m === null && left !== right) return left < right ? -1 : 1;
  }
  return a.length - b.length;
}
