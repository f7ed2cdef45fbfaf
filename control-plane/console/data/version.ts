// Whether the service still has this version of the console: after an upgrade its files have other names.

let outdated = false;
const listeners = new Set<() => void>();

export const newVersion = {
  /** The service has another version than this page. */
  isThere: (): boolean => outdated,
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
};

/** Asks the service for the file with which this page began (FIRST in chunks.ts). */
export async function askVersion(): Promise<'same' | 'new' | 'unreachable'> {
  const entry = document.querySelector<HTMLScriptElement>('script[type="module"][src*="/index-"]')?.src;
  // The development server has no such names.
  if (entry === undefined) return 'same';
  const status = await fetch(entry, { method: 'HEAD', cache: 'no-store' }).then(
    ({ status: answered }) => answered,
    () => null,
  );
  if (status === 404 && !outdated) {
    outdated = true;
    for (const listener of [...listeners]) listener();
  }
  return status === 404 ? 'new' : status === 200 ? 'same' : 'unreachable';
}

/** The fields that the person has typed into, while they are on the page. */
const typed = new Set<HTMLInputElement | HTMLTextAreaElement>();

/** Called once, before anything is typed. */
export function noticeTyping(): void {
  addEventListener(
    'input',
    ({ target }) => {
      if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) typed.add(target);
    },
    true,
  );
}

/** Returns whether loading the page again would lose something that the person has typed. */
export function hasTyped(): boolean {
  for (const field of typed) if (!field.isConnected) typed.delete(field);
  return [...typed].some(({ value }) => value.trim() !== '');
}
