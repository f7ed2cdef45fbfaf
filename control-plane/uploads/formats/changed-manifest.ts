// A stored manifest in which some files are replaced, without reading the others: after an edit in a folder of ten thousand
// files, one row differs.
import { endTurn, inGroups } from '../../../shared/in-steps.js';
import type { SourceFile } from '../../../shared/protocol/index.js';
import { byPath, fileRow, invalidFile } from './manifest.js';

export interface ChangedManifest {
  /** The stored form, in pieces; rows are never divided. */
  readonly pieces: readonly Buffer[];
  /** The rows that were there before. */
  readonly replaced: readonly SourceFile[];
  /** The rows in their place. */
  readonly rows: readonly SourceFile[];
}

/** A file that is in the manifest already; without a mode it keeps its own. */
export type ChangedFile = Omit<SourceFile, 'mode'> & { readonly mode?: SourceFile['mode'] | undefined };

/** Entries copied in one turn. */
const COPIED_AT_ONCE = 2_000;
const ROW_END = '}';

/**
 * @param stored what `encodeManifest` has written
 * @throws FormatError `manifest` when a path is not in it, or is named twice
 */
export async function changeManifest(
  stored: Buffer,
  files: readonly ChangedFile[],
  pause = endTurn,
): Promise<ChangedManifest> {
  const pieces: Buffer[] = [];
  const replaced: SourceFile[] = [];
  const rows: SourceFile[] = [];
  let at = 0;
  // Stored rows are in this order, so every search begins where the one before ended.
  for (const file of files.toSorted(byPath)) {
    // In a text of JSON these quotes would be escaped.
    const head = Buffer.from(`{"path":${JSON.stringify(file.path)},"sha256":"`);
    const start = stored.indexOf(head, at);
    if (start < 0) {
      throw invalidFile(
        files.indexOf(file),
        '.path',
        `${JSON.stringify(file.path)} is not in the base, or named twice`,
      );
    }
    // Hash, size and mode follow.
    const end = stored.indexOf(ROW_END, start + head.length) + ROW_END.length;
    const before: SourceFile = JSON.parse(stored.toString('utf8', start, end));
    const row = { ...file, mode: file.mode ?? before.mode };
    replaced.push(before);
    rows.push(row);
    pieces.push(stored.subarray(at, start), Buffer.from(fileRow(row)));
    at = end;
    await pause();
  }
  pieces.push(stored.subarray(at));
  return { pieces, replaced, rows };
}

/**
 * Returns the size of every distinct content after a change.
 *
 * @param before the same before it
 * @param files the new rows
 * @throws FormatError `manifest` when one of them gives a content another size than a row that stays
 */
export async function changedSizes(
  before: ReadonlyMap<string, number>,
  { pieces, replaced }: Pick<ChangedManifest, 'pieces' | 'replaced'>,
  files: readonly ChangedFile[],
  pause = endTurn,
): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  for await (const group of inGroups(before, COPIED_AT_ONCE, pause)) {
    for (const [sha256, size] of group) sizes.set(sha256, size);
  }
  for (const { sha256 } of replaced) {
    if (!pieces.some((piece) => piece.includes(`,"sha256":"${sha256}"`))) sizes.delete(sha256);
    await pause();
  }
  files.forEach(({ sha256, size }, at) => {
    const known = sizes.get(sha256);
    if (known !== undefined && known !== size) {
      throw invalidFile(at, '.size', `${sha256} has two sizes, ${known} and ${size}`);
    }
    sizes.set(sha256, size);
  });
  return sizes;
}
