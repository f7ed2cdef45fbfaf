// What the keyboard shortcuts of the log do.
import type { KeyboardEvent } from 'react';
import { mod } from '../keys/platform.js';
import { type LogShortcut, logShortcuts, shortcutOf } from '../keys/shortcuts.js';
import { timeModes } from './times.js';
import type { LogView } from './use-log-view.js';

export interface KeyActions {
  readonly view: LogView;
  readonly singleKeys: boolean;
  toFailure(): void;
  toggleFull(): void;
  readonly isFull: boolean;
  focusSearch(): void;
  copy(): void;
  help(): void;
}

export function onLogKey(event: KeyboardEvent, all: KeyActions): void {
  if (event.defaultPrevented) return;
  if ((event.target as HTMLElement).closest('input, [role=menu], [role=dialog]')) return;
  const name = shortcutOf(logShortcuts, event.nativeEvent, { singleKeys: all.singleKeys, mod });
  const action = name === null ? undefined : actionsOf(all, event.shiftKey)[name];
  if (!action) return;
  event.preventDefault();
  // The page has shortcuts of its own.
  event.stopPropagation();
  action();
}

function actionsOf(all: KeyActions, shift: boolean): Readonly<Record<LogShortcut, (() => void) | undefined>> {
  const { view } = all;
  const { wrap, times } = view.preferences;
  return {
    search: all.focusSearch,
    next: view.search.next,
    previous: view.search.previous,
    start: view.scroll.toStart,
    end: view.scroll.toEnd,
    failure: all.toFailure,
    wrap: () => view.setPreferences({ wrap: !wrap }),
    times: () => view.setPreferences({ times: timeModes[(timeModes.indexOf(times) + 1) % timeModes.length] ?? 'off' }),
    full: all.toggleFull,
    fold: () => void view.toggleFold(view.selection.cursor() ?? 0),
    copy: all.copy,
    help: all.help,
    down: () => view.moveCursor(1, shift),
    up: () => view.moveCursor(-1, shift),
    escape: leave(all),
  };
}

/** What Escape closes: the search, the selection, the full screen, in this order. */
function leave({ view, isFull, toggleFull }: KeyActions): (() => void) | undefined {
  if (view.search.text !== '') return () => view.search.setText('');
  if (view.selection.range) return view.selection.clear;
  return isFull ? toggleFull : undefined;
}
