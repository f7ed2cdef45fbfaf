// The list below the field of the palette, and what is to be said of it.
import { useEffect, useRef } from 'react';
import { Button } from '../design/button.js';
import { useFailureText } from '../design/failure-text.js';
import { shared } from '../words/shared.js';
import { useWords } from '../words/use-words.js';
import { type Entry, groups } from './entry.js';
import styles from './palette.module.css';
import type { Found } from './use-found.js';
import { words } from './words.js';

export interface PaletteListProps {
  /** The list is `<id>-list`, its entries `<id>-0` and so on. */
  readonly id: string;
  readonly entries: readonly Entry[];
  readonly active: number;
  onActive(entry: Entry): void;
  onChoose(entry: Entry): void;
}

export function PaletteList({ id, entries, active, onActive, onChoose }: PaletteListProps) {
  const w = useWords(words);
  const list = useRef<HTMLDivElement>(null);
  const activeId = entries[active]?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the entry in use is always in view
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [activeId]);
  const shown = entries.map((entry, index) => ({ entry, index }));
  return (
    // The focus stays in the field.
    <div
      ref={list}
      id={`${id}-list`}
      role="listbox"
      tabIndex={-1}
      aria-label={w.title}
      className={styles.list}
      hidden={entries.length === 0}
      onMouseDown={(event) => event.preventDefault()}
    >
      {groups.map((group) => {
        const own = shown.filter(({ entry }) => entry.group === group);
        if (own.length === 0) return null;
        return (
          // biome-ignore lint/a11y/useSemanticElements: a list box has groups
          <div key={group} role="group" aria-labelledby={`${id}-${group}`}>
            <p id={`${id}-${group}`} className={styles.heading}>
              {w.groups[group]}
            </p>
            {own.map(({ entry, index }) => (
              <Option
                key={entry.id}
                id={`${id}-${index}`}
                entry={entry}
                isActive={index === active}
                onActive={onActive}
                onChoose={onChoose}
              />
            ))}
          </div>
        );
      })}
    </div>
  );
}

interface OptionProps extends Pick<PaletteListProps, 'id' | 'onActive' | 'onChoose'> {
  readonly entry: Entry;
  readonly isActive: boolean;
}

const Option = ({ id, entry, isActive, onActive, onChoose }: OptionProps) => (
  // biome-ignore lint/a11y/useKeyWithClickEvents: keys go to the field
  // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
  <div
    id={id}
    role="option"
    aria-selected={isActive}
    className={styles.option}
    // Not when the list moves below a pointer that rests.
    onPointerMove={() => (isActive ? undefined : onActive(entry))}
    onClick={() => onChoose(entry)}
  >
    <entry.icon aria-hidden />
    <bdi className={styles.text}>{entry.text}</bdi>
    {entry.hint ? <span className={styles.hint}>{entry.hint}</span> : null}
  </div>
);

export interface PaletteStatusProps {
  readonly found: Found;
  /** Why the chosen entry did not open. */
  readonly error: unknown;
  readonly opening: boolean;
  readonly query: string;
  readonly count: number;
}

export function PaletteStatus({ found, error, opening, query, count }: PaletteStatusProps) {
  const w = useWords(words);
  const common = useWords(shared);
  const textOf = useFailureText();
  const failed = found.error !== null;
  const isEmpty = count === 0 && !found.searching && !failed;
  return (
    <div className={styles.foot}>
      <div role="alert" className={styles.failure}>
        {error === null ? null : <p>{textOf(error).message}</p>}
        {failed ? (
          <p>
            {w.notSearched} {textOf(found.error).message}{' '}
            <Button variant="link" onClick={found.retry}>
              {common.retry}
            </Button>
          </p>
        ) : null}
      </div>
      {/* It is always there, because screen readers announce only changes inside of it. */}
      <p role="status" className={found.searching || opening || isEmpty ? styles.status : 'unseen'}>
        {opening ? w.opening : found.searching ? w.searching : isEmpty ? w.nothing(query) : w.results(count)}
      </p>
    </div>
  );
}
