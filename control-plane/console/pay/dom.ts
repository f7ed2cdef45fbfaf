// DOM helpers for the console pages.

/** Returns the element with this id. Throws if it is missing or has another type. */
export function byId<T extends HTMLElement>(id: string, type: new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`the page has no ${type.name} called ${id}`);
  return found;
}

export const show = (id: string, visible = true): void => {
  byId(id, HTMLElement).hidden = !visible;
};

export const setText = (id: string, text: string): void => {
  byId(id, HTMLElement).textContent = text;
};

/** @example make('li', { text: 'Ready' }) */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  { text, className }: { text?: string; className?: string } = {},
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  if (className !== undefined) element.className = className;
  return element;
}

/** Shows an error message, or hides it (null). Screen readers announce it. */
export function problem(id: string, text: string | null): void {
  const box = byId(id, HTMLElement);
  box.replaceChildren(...(text === null ? [] : [make('p', { text })]));
  box.hidden = text === null;
}

/**
 * Runs `work` when the form is submitted, one run at a time. The button stays focusable meanwhile, so that the
 * focus is not lost.
 */
export function onSubmit(form: HTMLFormElement, button: HTMLButtonElement, work: () => Promise<void>): void {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (button.getAttribute('aria-disabled') === 'true') return;
    button.setAttribute('aria-disabled', 'true');
    void work().finally(() => button.removeAttribute('aria-disabled'));
  });
}

/** Marks the first empty or invalid field and shows a message. Returns true if all fields are valid. */
export function checkFields(form: HTMLFormElement, problemId: string): boolean {
  let first: HTMLInputElement | null = null;
  for (const field of form.querySelectorAll('input')) {
    const fits = field.checkValidity();
    field.setAttribute('aria-invalid', String(!fits));
    if (!fits) first ??= field;
  }
  problem(
    problemId,
    first && `${first.labels?.[0]?.firstChild?.textContent?.trim()}: ${first.validationMessage}`,
  );
  first?.focus();
  return first === null;
}
