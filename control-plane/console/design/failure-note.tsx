import type { ReactNode } from 'react';
import { Failure, type FieldFailure } from '../data/failure.js';
import { useFormat } from '../words/language.js';
import { shared } from '../words/shared.js';
import { useWords } from '../words/use-words.js';
import { Button } from './button.js';
import styles from './failure-note.module.css';
import { useFailureText } from './failure-text.js';
import { useProblemText } from './field-problems.js';

export interface FailureNoteProps {
  readonly error: unknown;
  /** Those of its problems that nothing else shows; default: all. */
  readonly problems?: readonly FieldFailure[] | undefined;
  /** Sends the request again; shown as a button. */
  readonly onRetry?: (() => void) | undefined;
  /** What else can be done. */
  readonly children?: ReactNode;
}

/** A longer message is a paragraph to read, not a headline. */
export const LONG_MESSAGE = 90;

/** What went wrong, and what to do next. Announced by screen readers. */
export function FailureNote({ error, problems: unsaid, onRetry, children }: FailureNoteProps) {
  const w = useWords(shared);
  const format = useFormat();
  const textOf = useFailureText();
  const problemText = useProblemText();
  const { message, advice } = textOf(error);
  const failure = error instanceof Failure ? error : null;
  const problems = failure?.problems ?? [];
  const repeats = problems.some(({ text }) => message.includes(text));
  const said = unsaid ?? problems;
  const requestId = failure && isInternal(failure) ? failure.requestId : null;
  return (
    <div className={styles.note} role="alert">
      <p className={styles.message} data-long={message.length > LONG_MESSAGE || undefined}>
        {repeats ? w.notAccepted : message}
      </p>
      {advice ? <p>{advice}</p> : null}
      {said.length > 0 ? (
        <ul className={styles.problems}>
          {said.map((problem) => (
            <li key={`${problem.path} ${problem.text}`}>
              {problem.path === '' ? null : <code>{problem.path}</code>} {problemText(problem)}
            </li>
          ))}
        </ul>
      ) : null}
      {failure?.retryAfter ? <p>{w.retryIn(format.duration(failure.retryAfter * 1_000))}</p> : null}
      {children}
      {onRetry || requestId ? (
        <div className={styles.foot}>
          {onRetry ? (
            <Button small onClick={onRetry}>
              {w.retry}
            </Button>
          ) : null}
          {requestId ? (
            <span className={styles.id}>
              {w.requestId} <code>{requestId}</code>
            </span>
          ) : null}
        </div>
      ) : null}
    </div>
  );
}

/** The operator of the service finds the request of such a failure by its id; ids of other failures are of no use. */
const isInternal = ({ status, code }: Failure) => code === 'unexpected_response' || (status !== null && status >= 500);
