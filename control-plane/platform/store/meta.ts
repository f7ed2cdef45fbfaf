// Single values that belong to the whole service, by name.
import { text } from '../domain/fields.js';
import type { Queries } from './sql.js';
import { table } from './table.js';

export const meta = table('meta', { name: text(), value: text() });

export async function readMeta(q: Queries, name: string): Promise<string | null> {
  return (await meta.get(q, 'WHERE name = :name', { name }))?.value ?? null;
}

const put = meta.inserter({ onConflict: `ON CONFLICT (name) DO UPDATE SET ${meta.excluded('value')}` });

/** Replaces the existing value. */
export async function writeMeta(q: Queries, name: string, value: string): Promise<void> {
  await put(q, { name, value });
}
