// One line of a log.
import ChevronDown from 'lucide-react/icons/chevron-down';
import ChevronRight from 'lucide-react/icons/chevron-right';
import { memo } from 'react';
import type { LogLine } from '../../../client/types.js';
import { classNames } from '../design/class-names.js';
import { useFormat } from '../words/language.js';
import { useWords } from '../words/use-words.js';
import { type Line, shownText } from './ansi.js';
import styles from './log-lines.module.css';
import { LogText } from './log-text.js';
import { GROUP_END } from './shown-line.js';
import { words } from './words.js';

export interface LogRowProps {
  /** From 1. */
  readonly n: number;
  /** Null while it is loaded. */
  readonly line: LogLine | null;
  readonly read: Line | null;
  readonly time: string;
  /** Text to mark. */
  readonly wanted: string;
  readonly isSelected: boolean;
  readonly isCurrentMatch: boolean;
  readonly isFailure: boolean;
  /** Null: no group begins here. */
  readonly folded: boolean | null;
  /** Lines hidden below. */
  readonly hidden: number;
}

// biome-ignore-start lint/a11y/useSemanticElements: rows that move are no table to a browser
// biome-ignore-start lint/a11y/useFocusableInteractive: the window that scrolls takes the focus
export const LogRow = memo(function LogRow(props: LogRowProps) {
  const { n, line, read, time, isSelected, isCurrentMatch, isFailure, folded, hidden } = props;
  const w = useWords(words);
  const format = useFormat();
  const isService = line?.source === 'service';
  return (
    <div
      role="row"
      tabIndex={-1}
      aria-rowindex={n}
      aria-selected={isSelected || undefined}
      data-line={n}
      className={classNames(
        styles.row,
        isSelected && styles.selected,
        isCurrentMatch && styles.current,
        isFailure && styles.failure,
        isService && styles.service,
        folded !== null && styles.group,
        read !== null && GROUP_END.test(shownText(read)) && styles.end,
      )}
    >
      <div role="rowheader" className={styles.gutter}>
        <a className={styles.number} href={`#L${n}`} tabIndex={-1} aria-label={w.line(n)}>
          {n}
        </a>
      </div>
      {time === '' ? null : (
        <div role="cell" className={styles.time} title={line?.at ? format.utc(line.at) : w.unknownTime}>
          {time}
        </div>
      )}
      <div role="cell" className={styles.text}>
        {folded === null ? null : (
          <button
            type="button"
            className={styles.fold}
            aria-expanded={!folded}
            aria-label={folded ? w.unfold : w.fold}
            tabIndex={-1}
          >
            {folded ? <ChevronRight aria-hidden /> : <ChevronDown aria-hidden />}
          </button>
        )}
        {isService ? (
          <span className={styles.mark} title={w.service}>
            {w.serviceMark}
          </span>
        ) : null}
        <LogText n={n} line={line} read={read} wanted={props.wanted} />
        {hidden > 0 ? <span className={styles.folded}>{w.folded(format.number(hidden))}</span> : null}
      </div>
    </div>
  );
});
// biome-ignore-end lint/a11y/useSemanticElements: only the row
// biome-ignore-end lint/a11y/useFocusableInteractive: only the row
