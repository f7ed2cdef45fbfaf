// One line of a log.
import ChevronDown from 'lucide-react/icons/chevron-down';
import ChevronRight from 'lucide-react/icons/chevron-right';
import { memo, type ReactNode, useState } from 'react';
import type { LogLine } from '../../../client/types.js';
import { classNames } from '../design/class-names.js';
import { useFormat } from '../words/language.js';
import { useWords } from '../words/use-words.js';
import type { Line } from './ansi.js';
import styles from './log.module.css';
import { type LinePiece, lengthOf, type Most, piecesOf } from './pieces.js';
import { words } from './words.js';

/** How much of a line is shown at first, and when it is asked for. */
const SHORT: Most = { chars: 2_000, pieces: 400 };
const WHOLE: Most = { chars: Number.POSITIVE_INFINITY, pieces: Number.POSITIVE_INFINITY };

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
      )}
    >
      <div role="rowheader" className={styles.gutter}>
        <a className={styles.number} href={`#L${n}`} tabIndex={-1} aria-label={w.line(n)} data-number={n}>
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
            data-fold={n}
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
        {line && read ? <Text {...props} line={line} read={read} /> : <span className={styles.missing} />}
        {hidden > 0 ? <span className={styles.folded}>{w.folded(format.number(hidden))}</span> : null}
      </div>
    </div>
  );
});
// biome-ignore-end lint/a11y/useSemanticElements: only the row
// biome-ignore-end lint/a11y/useFocusableInteractive: only the row

function Text({ n, line, read, wanted }: LogRowProps & { line: LogLine; read: Line }) {
  const w = useWords(words);
  const format = useFormat();
  /** The line that is shown whole: an element is used for other lines later. */
  const [whole, setWhole] = useState(0);
  const length = read.runs.reduce((sum, { text }) => sum + text.length, 0);
  const pieces = piecesOf(read, wanted, whole === n ? WHOLE : SHORT);
  const left = length - lengthOf(pieces);
  return (
    <>
      {pieces.map(pieceElement)}
      {left > 0 ? (
        <button type="button" className={styles.rest} tabIndex={-1} onClick={() => setWhole(n)}>
          {w.showMore(format.number(left))}
        </button>
      ) : null}
      {line.cut && left === 0 ? <span className={styles.cut}>{w.cut}</span> : null}
    </>
  );
}

function pieceElement({ text, look, href, isMark, isWide }: LinePiece, key: number): ReactNode {
  const content = isWide ? [...text].map((each, i) => wideCharacter(each, i)) : text;
  const className = classNames(
    ...look.classes.map((name) => styles[name]),
    isMark && styles.found,
    href !== undefined && styles.link,
  );
  const { color, backgroundColor } = look.css;
  const style = isMark || (!color && !backgroundColor) ? undefined : look.css;
  if (href !== undefined)
    return (
      <a
        key={key}
        href={href}
        target="_blank"
        rel="noopener noreferrer nofollow"
        className={className}
        style={style}
        tabIndex={-1}
      >
        {content}
      </a>
    );
  if (className === '' && !style && !isWide) return text;
  return (
    <span key={key} className={className || undefined} style={style}>
      {content}
    </span>
  );
}

/** Two columns, whatever font has the character. */
const wideCharacter = (text: string, key: number) => (
  <span key={key} className={styles.wide}>
    {text}
  </span>
);
