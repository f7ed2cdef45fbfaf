// Every sealed value of one kind, read page by page: to find those that do not open any more.

export interface SealedValue {
  readonly accountId: number;
  /** The name of a secret, or the id of what the value belongs to. */
  readonly name: string;
  /** Throws UnreadableError. */
  open(): Buffer;
}

/**
 * Yields rows page by page until there are none.
 *
 * @param read reads the page behind `after`
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
