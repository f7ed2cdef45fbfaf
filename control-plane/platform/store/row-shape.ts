/**
 * Makes objects with these properties, all alike to the engine: one that adds many properties one by one would keep
 * them in a hash table, and each read and write of it would be slow.
 */
export function shapeOf<T>(names: readonly string[]): () => Record<string, T | null> {
  const empty: Record<string, null> = JSON.parse(JSON.stringify(Object.fromEntries(names.map((n) => [n, null]))));
  return () => ({ ...empty });
}
