// The text of a line: colors, links, places that match a search, and as much of it as fits.
import { type ReactNode, useState } from 'react';
import type { LogLine } from '../../../client/types.js';
import { classNames } from '../design/class-names.js';
import { useFormat } from '../words/language.js';
import { useWords } from '../words/use-words.js';
import type { Line } from './ansi.js';
import { graphemes } from './graphemes.js';
import styles from './log-text.module.css';
import { type LinePiece, lengthOf, type Most, piecesOf } from './pieces.js';
import { withoutMarks } from './shown-line.js';
import { words } from './words.js';

/** How much of a line is shown at first, and when it is asked for. */
const SHORT: Most = { chars: 2_000, pieces: 400 };
const WHOLE: Most = { chars: Number.POSITIVE_INFINITY, pieces: Number.POSITIVE_INFINITY };

export interface LogTextProps {
  /** From 1. */
  readonly n: number;
  /** Null while it is loaded. */
  readonly line: LogLine | null;
  readonly read: Line | null;
  /** Text to mark. */
  readonly wanted: string;
}

export function LogText(props: LogTextProps) {
  const { line, read } = props;
  if (!line || !read) return <span className={styles.missing} />;
  return <Loaded {...props} line={line} read={read} />;
}

function Loaded({ n, line, read, wanted }: LogTextProps & { line: LogLine; read: Line }) {
  const w = useWords(words);
  const format = useFormat();
  /** The line that is shown whole: an element is used for other lines later. */
  const [whole, setWhole] = useState(0);
  const shown = withoutMarks(read, line.source === 'service');
  const length = shown.runs.reduce((sum, { text }) => sum + text.length, 0);
  const pieces = piecesOf(shown, wanted, whole === n ? WHOLE : SHORT);
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
  const content = isWide ? graphemes(text).map(wideCharacter) : text;
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
