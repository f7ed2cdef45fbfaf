// Every keyboard shortcut of the console. What handles keys and the list that people see both come from these tables; the
// keys that open pages, after `g`, are those of `navigation.ts`.
import type { words } from './words.js';

export type ShortcutLabel = keyof (typeof words)['en']['does'];

export interface Shortcut {
  /** As events name them (`KeyboardEvent.key`); the list shows the first. */
  readonly keys: readonly string[];
  /** What the list says of it. Shortcuts with the same label share a row. */
  readonly label: ShortcutLabel;
  /** With Ctrl, on Apple's systems with Command. */
  readonly mod?: true;
}

type Table<N extends string> = Readonly<Record<N, Shortcut>>;

/** On every page with a side bar. */
export const pageShortcuts = {
  palette: { keys: ['k'], mod: true, label: 'palette' },
  search: { keys: ['/'], label: 'search' },
  help: { keys: ['?'], label: 'help' },
  /** The first key of those that open a page. */
  goTo: { keys: ['g'], label: 'goTo' },
} as const satisfies Table<string>;

/** While the focus is in the log of a build. */
export const logShortcuts = {
  search: { keys: ['/'], label: 'searchLog' },
  next: { keys: ['n'], label: 'matches' },
  previous: { keys: ['N'], label: 'matches' },
  start: { keys: ['g', 'Home'], label: 'ends' },
  end: { keys: ['G', 'End'], label: 'ends' },
  failure: { keys: ['f'], label: 'failure' },
  down: { keys: ['ArrowDown'], label: 'lines' },
  up: { keys: ['ArrowUp'], label: 'lines' },
  fold: { keys: ['o'], label: 'fold' },
  copy: { keys: ['c'], label: 'copy' },
  wrap: { keys: ['w'], label: 'wrap' },
  times: { keys: ['t'], label: 'times' },
  full: { keys: ['z'], label: 'full' },
  escape: { keys: ['Escape'], label: 'escape' },
  help: { keys: ['?'], label: 'help' },
} as const satisfies Table<string>;

export type LogShortcut = keyof typeof logShortcuts;

/** Of a `KeyboardEvent`. */
export interface KeyStroke {
  readonly key: string;
  readonly code: string;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly isComposing: boolean;
}

export interface KeyOptions {
  /** False: the person has switched off shortcuts of a single character (WCAG 2.1.4). */
  readonly singleKeys: boolean;
  /** The modifier of this system: Command on Apple's, else Ctrl. */
  readonly mod: 'metaKey' | 'ctrlKey';
}

/** Whether it is a character; other keys, such as arrows, cannot be typed by accident by speech input. */
export const isSingleKey = ({ keys, mod }: Shortcut): boolean => mod !== true && keys[0]?.length === 1;

/**
 * Returns the name of the shortcut that was pressed, or null. While an input method composes a character, none is.
 *
 * @example shortcutOf(pageShortcuts, event, { singleKeys: true, mod: 'ctrlKey' }) // 'help'
 */
export function shortcutOf<N extends string>(table: Table<N>, event: KeyStroke, options: KeyOptions): N | null {
  const other = options.mod === 'ctrlKey' ? event.metaKey : event.ctrlKey;
  if (event.isComposing || event.altKey || other) return null;
  const key = keyOf(event);
  const isMod = event[options.mod];
  const isPressed = ({ keys, mod }: Shortcut) =>
    (mod === true) === isMod &&
    keys.includes(key) &&
    !(mod && event.shiftKey) &&
    (mod || key.length > 1 || options.singleKeys);
  const found = (Object.entries(table) as [N, Shortcut][]).find(([, shortcut]) => isPressed(shortcut));
  return found ? found[0] : null;
}

/** Returns the key; letters as on a Latin keyboard, so that shortcuts work while Korean is typed (`ㅎ` is on the key of `g`). */
export function keyOf({ key, code, shiftKey }: Pick<KeyStroke, 'key' | 'code' | 'shiftKey'>): string {
  const [, letter] = /^Key([A-Z])$/.exec(code) ?? [];
  const isLatin = key.length !== 1 || key < '\u0080';
  if (isLatin || letter === undefined) return key;
  return shiftKey ? letter : letter.toLowerCase();
}
