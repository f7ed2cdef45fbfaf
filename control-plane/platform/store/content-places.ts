// Contents that rows refer to, some at a time.

/** Account and key of each. */
export type ContentPlaces = readonly { readonly accountId: number; readonly key: string }[];

/** All contents of a kind. */
export interface NamedContents {
  count(): Promise<number>;
  /** @param limit contents at a time */
  pages(limit: number): AsyncIterable<ContentPlaces>;
}
