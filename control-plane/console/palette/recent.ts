// Which entries of the palette were chosen last, kept in the browser.

const KEY = 'cidermill_palette';
const MOST = 5;

/** Ids of entries, the last one first. */
export function recentEntries(): readonly string[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(found) ? found.filter((id) => typeof id === 'string').slice(0, MOST) : [];
  } catch {
    // Storage is forbidden, or holds something else.
    return [];
  }
}

export function rememberEntry(id: string): void {
  try {
    const all = [id, ...recentEntries().filter((each) => each !== id)];
    localStorage.setItem(KEY, JSON.stringify(all.slice(0, MOST)));
  } catch {
    // A browser that stores nothing has no recent entries.
  }
}
