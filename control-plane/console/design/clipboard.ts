// What the console puts on the clipboard.

/** Returns false if the browser refuses, as on pages without https. */
export async function copyText(text: string): Promise<boolean> {
  const done = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  );
  if (!done && !copyBySelection(text)) return false;
  for (const listener of listeners) listener(text);
  return true;
}

const listeners = new Set<(text: string) => void>();

/**
 * Calls `listener` with every text that is copied, by a button of the console or by hand. Returns a function that
 * unsubscribes.
 * @example useEffect(() => whenCopied((text) => text.includes(key) && setCopied(true)), [key]);
 */
export function whenCopied(listener: (text: string) => void): () => void {
  const byHand = () => listener(String(getSelection() ?? ''));
  document.addEventListener('copy', byHand);
  listeners.add(listener);
  return () => {
    document.removeEventListener('copy', byHand);
    listeners.delete(listener);
  };
}

/** For pages without https, where browsers have no clipboard. */
function copyBySelection(text: string): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'unseen';
  const before = document.activeElement;
  document.body.append(field);
  field.select();
  const done = document.execCommand('copy');
  field.remove();
  if (before instanceof HTMLElement) before.focus();
  return done;
}
