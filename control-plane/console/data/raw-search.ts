/** Search parameters as they stand in the address. */
export type RawSearch = Readonly<Record<string, string | undefined>>;
