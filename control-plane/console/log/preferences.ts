// How a person reads logs, kept in the browser.
import { useCallback, useState } from 'react';
import { type TimeMode, timeModes } from './times.js';

const KEY = 'cidermill-log';

export interface LogPreferences {
  readonly wrap: boolean;
  readonly times: TimeMode;
}

export function useLogPreferences(): [LogPreferences, (next: Partial<LogPreferences>) => void] {
  const [preferences, keep] = useState(stored);
  const set = useCallback((next: Partial<LogPreferences>) => {
    keep((before) => {
      const all = { ...before, ...next };
      try {
        localStorage.setItem(KEY, JSON.stringify(all));
      } catch {
        // Storage may be full or forbidden; the choice then holds for this page only.
      }
      return all;
    });
  }, []);
  return [preferences, set];
}

function stored(): LogPreferences {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    const { wrap, times } = found as Partial<LogPreferences>;
    return { wrap: wrap === true, times: timeModes.find((mode) => mode === times) ?? 'off' };
  } catch {
    // Storage is forbidden, or holds something else.
    return { wrap: false, times: 'off' };
  }
}
