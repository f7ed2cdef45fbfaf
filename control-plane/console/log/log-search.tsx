// Search over the whole log, by the service's index: counts, next, previous.

import ChevronDown from 'lucide-react/icons/chevron-down';
import ChevronUp from 'lucide-react/icons/chevron-up';
import Search from 'lucide-react/icons/search';
import X from 'lucide-react/icons/x';
import { type KeyboardEvent, type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { clock } from '../clock.js';
import { IconButton } from '../design/button.js';
import { useFailureText } from '../design/failure-text.js';
import { useFormat } from '../words/language.js';
import { useWords } from '../words/use-words.js';
import styles from './log-search.module.css';
import { type Found, type Matches, openMatches } from './matches.js';
import type { LogSource } from './source.js';
import { words } from './words.js';

/** Pause in typing after which the search begins, in ms. */
const TYPING_MS = 250;
/** Longest text that is searched for. */
const MOST_CHARS = 200;

export interface LogSearch {
  readonly text: string;
  setText(text: string): void;
  readonly state: 'idle' | 'searching' | 'ready' | 'failed';
  readonly total: number;
  readonly current: Found | null;
  readonly error: unknown;
  next(): void;
  previous(): void;
}

export interface LogSearchOptions {
  readonly source: LogSource;
  /** Lines of the log now. */
  lines(): number;
  /** The line from which the first match is looked for. */
  here(): number;
  onFound(line: number): void;
}

export function useLogSearch(options: LogSearchOptions): LogSearch {
  const { source } = options;
  const [text, setText] = useState('');
  const [found, setFound] = useState<Pick<LogSearch, 'state' | 'total' | 'current' | 'error'>>(NOTHING);
  const matches = useRef<Matches | null>(null);
  const latest = useRef(options);
  latest.current = options;
  /** Only the last step counts. */
  const steps = useRef(0);

  const go = useCallback(async (step: (all: Matches) => Promise<Found | null>) => {
    const all = matches.current;
    if (!all) return;
    const mine = ++steps.current;
    try {
      const current = await step(all);
      if (mine !== steps.current) return;
      setFound({ state: 'ready', total: all.total(), current, error: null });
      if (current) latest.current.onFound(current.line);
    } catch (error) {
      if (mine === steps.current) setFound((before) => ({ ...before, state: 'failed', error }));
    }
  }, []);

  useEffect(() => {
    matches.current = null;
    steps.current++;
    if (text === '') {
      setFound(NOTHING);
      return;
    }
    setFound({ ...NOTHING, state: 'searching' });
    const ended = new AbortController();
    const read = async (from: number) => {
      const page = await source.search(text, from, ended.signal);
      return {
        lines: page.matches.map(({ n }) => n),
        total: page.total_matches,
        before: page.matches_before,
        next: page.next_from_line,
      };
    };
    const timer = clock.setTimeout(async () => {
      try {
        const all = await openMatches(read, () => latest.current.lines());
        if (ended.signal.aborted) return;
        matches.current = all;
        void go((opened) => opened.after(latest.current.here() - 1));
      } catch (error) {
        if (!ended.signal.aborted) setFound({ ...NOTHING, state: 'failed', error });
      }
    }, TYPING_MS);
    return () => {
      timer.cancel();
      ended.abort();
    };
  }, [text, source, go]);

  const from = () => found.current?.line ?? latest.current.here();
  return {
    ...found,
    text,
    setText: (next) => setText([...next.replace(/\p{Cc}/gu, '')].slice(0, MOST_CHARS).join('')),
    next: () => void go((all) => all.after(from())),
    previous: () => void go((all) => all.before(from())),
  };
}

const NOTHING = { state: 'idle', total: 0, current: null, error: null } as const;

export function LogSearchBar({
  search,
  input,
  onLeave,
}: {
  search: LogSearch;
  input: RefObject<HTMLInputElement | null>;
  /** Returns the focus to the log. */
  onLeave(): void;
}) {
  const w = useWords(words);
  const count = useCount(search);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') {
      event.preventDefault();
      if (event.shiftKey) search.previous();
      else search.next();
    } else if (event.key === 'Escape') {
      event.preventDefault();
      search.setText('');
      onLeave();
    }
    event.stopPropagation();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: <search> is new in browsers
    <div role="search" className={styles.search}>
      <Search aria-hidden className={styles.searchIcon} />
      <input
        ref={input}
        type="text"
        inputMode="search"
        enterKeyHint="search"
        className={styles.searchField}
        aria-label={w.search}
        placeholder={w.search}
        value={search.text}
        maxLength={MOST_CHARS}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => search.setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <span className={styles.count} role="status">
        {count}
      </span>
      {search.text === '' ? null : (
        <>
          <IconButton label={w.previous} icon={<ChevronUp aria-hidden />} onClick={search.previous} />
          <IconButton label={w.next} icon={<ChevronDown aria-hidden />} onClick={search.next} />
          <IconButton
            label={w.closeSearch}
            icon={<X aria-hidden />}
            onClick={() => {
              search.setText('');
              onLeave();
            }}
          />
        </>
      )}
    </div>
  );
}

function useCount({ state, total, current, error }: LogSearch): string {
  const w = useWords(words);
  const format = useFormat();
  const textOf = useFailureText();
  if (state === 'idle') return '';
  if (state === 'searching') return w.searching;
  if (state === 'failed') return textOf(error).message;
  if (total === 0) return w.noMatch;
  return current ? w.match(format.number(current.ordinal), format.number(total)) : w.matches(format.number(total));
}
