// Chooses the entries of a listing that are fetched, within limits. A bundle is fetched whole or not at all.
import { isBundleName } from '../../../shared/archive/bundle.js';
import type { ListedEntry } from './listing.js';

/** size: beyond the limit of bytes. other: neither file, folder nor link, or too deep. name: this host cannot have the name. */
export type NotFetched = 'size' | 'other' | 'name';

export interface Unit {
  /** Path of the bundle, or of the file. */
  path: string;
  isBundle: boolean;
  /** Rows of its files. */
  files: number[];
  bytes: number;
}

export interface Choice {
  /** Rows of the folders, parents first. */
  folders: number[];
  units: Unit[];
  links: number[];
  leftOut: { path: string; reason: NotFetched }[];
}

/** @example bundleOf('out/App.app/Contents/Info.plist') // 'out/App.app' */
export function bundleOf(path: string, isFolder: boolean): string | null {
  const parts = path.split('/');
  const last = isFolder ? parts.length : parts.length - 1;
  const at = parts.findIndex((part, n) => n < last && isBundleName(Buffer.from(part, 'latin1').toString('utf8')));
  return at < 0 ? null : parts.slice(0, at + 1).join('/');
}

/**
 * In order of their names, as artifacts are kept: a file that is too large is left out, and smaller ones after it are
 * fetched. Bundles are compressed later, so they have a limit of their own.
 */
export function chooseEntries(
  entries: readonly ListedEntry[],
  limits: { maxBytes: number; maxBundleBytes: number },
): Choice {
  const units = new Map<string, Unit>();
  const leftOut: Choice['leftOut'] = [];
  const rowsOf = (type: ListedEntry['type']) => entries.flatMap((entry, row) => (entry.type === type ? [row] : []));
  for (const [row, entry] of entries.entries()) {
    if (entry.type === 'other') leftOut.push({ path: entry.path, reason: 'other' });
    if (entry.type !== 'file') continue;
    const bundle = bundleOf(entry.path, false);
    const path = bundle ?? entry.path;
    const unit = units.get(path) ?? { path, isBundle: bundle !== null, files: [], bytes: 0 };
    units.set(path, unit);
    unit.files.push(row);
    unit.bytes += entry.size;
  }
  const left = { files: limits.maxBytes, bundles: limits.maxBundleBytes };
  const chosen: Unit[] = [];
  const dropped = new Set<string>();
  for (const unit of [...units.values()].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    const kind = unit.isBundle ? 'bundles' : 'files';
    if (unit.bytes > left[kind]) {
      leftOut.push({ path: unit.path, reason: 'size' });
      if (unit.isBundle) dropped.add(unit.path);
      continue;
    }
    left[kind] -= unit.bytes;
    chosen.push(unit);
  }
  const isKept = (row: number) => {
    const { path, type } = entries[row]!;
    const bundle = bundleOf(path, type === 'folder');
    return bundle === null || !dropped.has(bundle);
  };
  return {
    folders: rowsOf('folder')
      .filter(isKept)
      .sort((a, b) => (entries[a]!.path < entries[b]!.path ? -1 : 1)),
    units: chosen,
    links: rowsOf('link').filter(isKept),
    leftOut,
  };
}
