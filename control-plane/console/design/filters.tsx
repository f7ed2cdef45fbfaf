// The filters above a list. What is typed takes effect shortly after the last key, or at once with Enter.
import X from 'lucide-react/icons/x';
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { clock } from '../clock.js';
import { shared } from '../words/shared.js';
import { useWords } from '../words/use-words.js';
import { Button } from './button.js';
import field from './field.module.css';
import styles from './filters.module.css';
import { TextField } from './text-field.js';

/** @param more below the others, e.g. filters that few people use */
export function Filters({ children, more }: { children: ReactNode; more?: ReactNode }) {
  const w = useWords(shared);
  return (
    <search className={styles.filters} aria-label={w.filters}>
      <div className={styles.row}>{children}</div>
      {more}
    </search>
  );
}

/** Clears all filters of a list. */
export function ClearFilters({ quiet = false, onClick }: { quiet?: boolean; onClick(): void }) {
  const w = useWords(shared);
  return (
    <Button variant={quiet ? 'link' : 'quiet'} icon={quiet ? <X aria-hidden /> : undefined} onClick={onClick}>
      {w.clearFilters}
    </Button>
  );
}

interface TypedProps {
  readonly label: string;
  readonly placeholder?: string;
  readonly value: string | undefined;
  onChange(value: string): void;
}

/** A text that filters a list. */
export function TypedFilter({ value, onChange, ...rest }: TypedProps & { readonly inputMode?: 'numeric' }) {
  const { text, setText, onKeyDown } = useTyped(value, onChange);
  return (
    <TextField {...rest} value={text} onChange={setText} onKeyDown={onKeyDown} autoComplete="off" spellCheck={false} />
  );
}

/** The search of a list, whose label is its placeholder. */
export function SearchField({ label, placeholder = label, value, onChange }: TypedProps) {
  const { text, setText, onKeyDown } = useTyped(value, onChange);
  return (
    <div className={styles.wide}>
      <input
        type="search"
        className={field.input}
        aria-label={label}
        placeholder={placeholder}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
    </div>
  );
}

const SETTLED_MS = 300;

/** @param value undefined: the list is not filtered by it */
function useTyped(value = '', onChange: (value: string) => void) {
  const [text, setText] = useState(value);
  const sent = useRef(value);
  // The address has changed otherwise, e.g. by the browser's back button.
  useEffect(() => {
    if (value === sent.current) return;
    sent.current = value;
    setText(value);
  }, [value]);
  const send = (next: string) => {
    const clean = next.trim();
    if (clean === sent.current) return;
    sent.current = clean;
    onChange(clean);
  };
  const latest = useRef(send);
  latest.current = send;
  useEffect(() => {
    const timer = clock.setTimeout(() => latest.current(text), SETTLED_MS);
    return timer.cancel;
  }, [text]);
  const onKeyDown = (event: KeyboardEvent) => (event.key === 'Enter' ? send(text) : undefined);
  return { text, setText, onKeyDown };
}
