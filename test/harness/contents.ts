import type { Harness } from './harness.js';

/** Returns every row of every table, as text by the table's name. */
export async function contentsOf({ store }: Harness): Promise<Map<string, string>> {
  const tables = await store.all<{ name: string }>(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
  );
  const contents = new Map<string, string>();
  for (const { name } of tables) {
    contents.set(name, JSON.stringify(await store.all(`SELECT * FROM ${name} /* all */`)));
  }
  return contents;
}
