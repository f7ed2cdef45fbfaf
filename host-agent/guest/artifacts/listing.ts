// The list of files that a guest sends. It is not trusted: it is bounded, and names cannot leave the folder.
import path from 'node:path';
import { GuestError } from '../transport.js';

export interface ListedEntry {
  type: 'file' | 'folder' | 'link' | 'other';
  /** Relative; the bytes as characters (latin1). */
  path: string;
  /** Can be executed. */
  executable: boolean;
  size: number;
  /** Seconds. */
  mtime: number;
  /** Of a link. */
  target: string;
}

const TYPES: Readonly<Record<string, ListedEntry['type']>> = {
  f: 'file',
  d: 'folder',
  l: 'link',
  o: 'other',
};
const HEAD = 1 + 2 + 8 + 8 + 2 + 2;

/** Parses a frame of entries. */
export function parseEntries(payload: Buffer): ListedEntry[] {
  const entries: ListedEntry[] = [];
  for (let at = 0; at < payload.length; ) {
    if (at + HEAD > payload.length) throw wrong('truncated record');
    const type = TYPES[String.fromCharCode(payload[at] ?? 0)];
    const mode = payload.readUInt16BE(at + 1);
    const size = Number(payload.readBigUInt64LE(at + 3));
    const mtime = payload.readDoubleLE(at + 11);
    const pathEnd = at + HEAD + payload.readUInt16BE(at + 19);
    const end = pathEnd + payload.readUInt16BE(at + 21);
    if (type === undefined || end > payload.length) throw wrong('truncated record');
    if (!Number.isSafeInteger(size)) throw wrong('invalid size');
    const name = payload.toString('latin1', at + HEAD, pathEnd);
    if (!isPlainPath(name)) throw wrong('invalid path');
    entries.push({
      type,
      path: name,
      size,
      executable: (mode & 0o111) !== 0,
      mtime: Number.isFinite(mtime) && mtime > 0 && mtime < 2 ** 33 ? mtime : 0,
      target: payload.toString('latin1', pathEnd, end),
    });
    at = end;
  }
  return entries;
}

const wrong = (what: string) => new GuestError('bad_answer', `the guest sent an invalid list of files: ${what}`);

const isPlainPath = (name: string): boolean =>
  !name.includes('\0') && name.split('/').every((part) => part !== '' && part !== '.' && part !== '..');

/**
 * Returns the target of a link as it has to be on this host: a target inside the folder is relative, because the folder
 * has another path here.
 *
 * @param roots absolute paths of the folder in the guest
 * @example targetHere({ path: 'a/current', target: '/guest/out/b/app' }, ['/guest/out']) // '../b/app'
 */
export function targetHere(link: Pick<ListedEntry, 'path' | 'target'>, roots: readonly string[]): string {
  for (const root of roots) {
    if (link.target !== root && !link.target.startsWith(`${root}/`)) continue;
    const inside = link.target.slice(root.length + 1);
    return path.posix.relative(path.posix.dirname(`/${link.path}`), `/${inside}`) || '.';
  }
  return link.target;
}
