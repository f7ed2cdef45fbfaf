import { tablesOf } from './columns.js';
import type { Harness } from './harness.js';

/** Returns every row of every table, as text by the table's name. */
export async function contentsOf({ store }: Harness): Promise<Map<string, string>> {
  const contents = new Map<string, string>();
  for (const name of await tablesOf(store)) {
    const rows = await store.all<object>(`SELECT * FROM ${name} /* all */`);
    contents.set(name, JSON.stringify(rows.map((row) => JSON.stringify(row)).sort()));
  }
  return contents;
}
