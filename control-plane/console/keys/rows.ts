// The rows of the list of shortcuts.
import { isSingleKey, type Shortcut, type ShortcutLabel } from './shortcuts.js';

export interface ShortcutRow {
  readonly label: ShortcutLabel;
  /** As they are written on keys. */
  readonly keys: readonly string[];
}

const written: Readonly<Record<string, string>> = { ArrowDown: '↓', ArrowUp: '↑', Escape: 'Esc' };

/**
 * Returns a row for each label of a table, in its order; without those that are switched off.
 *
 * @example rowsOf(pageShortcuts, { singleKeys: false, modText: 'Ctrl' }) // [{ label: 'palette', keys: ['Ctrl K'] }]
 */
export function rowsOf(
  table: Readonly<Record<string, Shortcut>>,
  { singleKeys, modText }: { readonly singleKeys: boolean; readonly modText: string },
): ShortcutRow[] {
  const rows = new Map<ShortcutLabel, string[]>();
  for (const shortcut of Object.values(table)) {
    if (!singleKeys && isSingleKey(shortcut)) continue;
    const [key = ''] = shortcut.keys;
    const text = shortcut.mod ? `${modText} ${key.toUpperCase()}` : (written[key] ?? key);
    rows.set(shortcut.label, [...(rows.get(shortcut.label) ?? []), text]);
  }
  return [...rows].map(([label, keys]) => ({ label, keys }));
}
