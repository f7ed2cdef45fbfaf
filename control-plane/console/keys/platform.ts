// Keys of this system, and where keys are text.

const isApple = /^(Mac|iP)/.test(navigator.platform);

export const mod = isApple ? 'metaKey' : 'ctrlKey';

/** How the modifier is written. */
export const modText = isApple ? '⌘' : 'Ctrl';

/** The same for `aria-keyshortcuts`. */
export const modName = isApple ? 'Meta' : 'Control';

/** Whether keys are text, or belong to a menu. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input, textarea, select, [role=combobox], [role=menu] *'));

/** One that is closing does not count. */
export const isDialogOpen = (): boolean =>
  document.querySelector(':is([role=dialog], [role=alertdialog]):not([data-closed]), dialog[open]') !== null;

/** The search field of the page that is shown, or null: that of a list, or of a log. */
export const searchField = (): HTMLInputElement | null =>
  [...document.querySelectorAll<HTMLInputElement>('main :is(input[type=search], [role=search] input)')].find((field) =>
    field.checkVisibility(),
  ) ?? null;
