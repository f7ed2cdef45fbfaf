/** How many files a manifest with a `base` may name. With more, the whole manifest is about as fast. */
export const MOST_CHANGES = 100;
