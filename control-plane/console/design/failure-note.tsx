import type { ReactNode } from 'react';
import { Failure } from '../data/failure.js';
import { useFormat } from '../words/language.js';
import { shared } from '../words/shared.js';
import { useWords } from '../words/use-words.js';
import { Button } from './button.js';
import styles from './failure-note.module.css';
import { useFailureText } from './failure-text.js';

export interface FailureNoteProps {
  readonly error: unknown;
  /** Sends the request again; shown as a button. */
  readonly onRetry?: (() => void) | undefined;
  /** What else can be done. */
  readonly children?: ReactNode;
}

/** A longer message is a paragraph to read, not a headline. */
export const LONG_MESSAGE = 90;

/** What went wrong, and what to do next. Announced by screen readers. */
export function FailureNote({ error, onRetry, children }: FailureNoteProps) {
  const w = useWords(shared);
  const format = useFormat();
  const textOf = useFailureText();
  const { message, advice, detail } = textOf(error);
  const failure = error instanceof Failure ? error : null;
  return (
    <div className={styles.note} role="alert">
      <p className={styles.message} data-long={message.length > LONG_MESSAGE || undefined}>
        {message}
      </p>
      {advice ? <p>{advice}</p> : null}
      {detail ? <p lang="en">{detail}</p> : null}
      {failure?.retryAfter ? <p>{w.retryIn(format.duration(failure.retryAfter * 1_000))}</p> : null}
      {children}
      {onRetry || failure?.requestId ? (
        <div className={styles.foot}>
          {onRetry ? (
            <Button small onClick={onRetry}>
              {w.retry}
            </Button>
          ) : null}
          {failure?.requestId ? (
            <span className={styles.id}>
              {w.requestId} <code>{failure.requestId}</code>
            </span>
          ) : null}
        </div>
      ) : null}
    </div>
  );
}
