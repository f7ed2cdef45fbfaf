// Reads all sealed values of one kind page by page, to find those that can no longer be decrypted.

export interface SealedValue {
  readonly accountId: number;
  /** Name of the secret, or id of the object that the value belongs to. */
  readonly name: string;
  /** Throws UnreadableError. */
  open(): Buffer;
}

/**
 * Yields all rows, read page by page.
 *
 * @param read returns the page after the row `after`
 */
export async function* rowsInPages<Row extends After, After>(
  first: After,
  read: (after: After) => Promise<readonly Row[]>,
): AsyncGenerator<Row> {
  for (let after = first; ; ) {
    const page = await read(after);
    yield* page;
    const last = page.at(-1);
    if (!last) return;
    after = last;
  }
}
