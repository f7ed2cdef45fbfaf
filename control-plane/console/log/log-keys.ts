// Keyboard shortcuts of the log viewer.
import type { KeyboardEvent } from 'react';
import { timeModes } from './times.js';
import type { LogView } from './use-log-view.js';

export interface KeyActions {
  readonly view: LogView;
  toFailure(): void;
  toggleFull(): void;
  readonly isFull: boolean;
  focusSearch(): void;
  copy(): void;
  help(): void;
}

export function onLogKey(event: KeyboardEvent, all: KeyActions): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if ((event.target as HTMLElement).closest('input, [role=menu], [role=dialog]')) return;
  const action = event.key === 'Escape' ? leave(all) : actionOf(event.key, event.shiftKey, all);
  if (!action) return;
  event.preventDefault();
  // The page has shortcuts of its own.
  event.stopPropagation();
  action();
}

function actionOf(key: string, shift: boolean, all: KeyActions): (() => void) | undefined {
  const { view } = all;
  const { wrap, times } = view.preferences;
  const { toStart, toEnd } = view.scroll;
  const actions: Readonly<Record<string, () => void>> = {
    '/': all.focusSearch,
    n: view.search.next,
    N: view.search.previous,
    g: toStart,
    Home: toStart,
    G: toEnd,
    End: toEnd,
    f: all.toFailure,
    w: () => view.setPreferences({ wrap: !wrap }),
    t: () => view.setPreferences({ times: timeModes[(timeModes.indexOf(times) + 1) % timeModes.length] ?? 'off' }),
    z: all.toggleFull,
    o: () => void view.toggleFold(view.selection.cursor() ?? 0),
    c: all.copy,
    '?': all.help,
    ArrowDown: () => view.moveCursor(1, shift),
    ArrowUp: () => view.moveCursor(-1, shift),
  };
  return actions[key];
}

/** What Escape closes: the search, the selection, the full screen, in this order. */
function leave({ view, isFull, toggleFull }: KeyActions): (() => void) | undefined {
  if (view.search.text !== '') return () => view.search.setText('');
  if (view.selection.range) return view.selection.clear;
  return isFull ? toggleFull : undefined;
}
