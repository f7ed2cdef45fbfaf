// Why the build failed: the cause in words, where it is, what to do, and its lines of the log.
import { useQuery } from '@tanstack/react-query';
import CircleX from 'lucide-react/icons/circle-x';
import ScrollText from 'lucide-react/icons/scroll-text';
import type { Build, BuildFailure } from '../../../../client/types.js';
import { failureAdvice } from '../../../../shared/messages/failure-advice.js';
import { say } from '../../../../shared/messages/message.js';
import { failureSummary } from '../../builds/failure-summary.js';
import { words as buildWords, textOf } from '../../builds/words.js';
import type { BuildSource } from '../../data/build-source.js';
import { failureQuery } from '../../data/builds.js';
import { Badge, type Tone } from '../../design/badge.js';
import { Button } from '../../design/button.js';
import { Code } from '../../design/code.js';
import { useLanguage } from '../../words/language.js';
import { useWords } from '../../words/use-words.js';
import styles from './failure-card.module.css';
import { words } from './words.js';

const tones: Readonly<Record<string, Tone>> = { customer: 'bad', platform: 'warn' };

export interface FailureCardProps {
  readonly source: BuildSource;
  readonly build: Build;
  readonly failure: BuildFailure;
  /** Null: there is no log to jump into. */
  readonly onJump: ((first: number, last: number) => void) | null;
}

export function FailureCard({ source, build, failure, onJump }: FailureCardProps) {
  const w = useWords(words);
  const own = useWords(buildWords);
  const language = useLanguage();
  const { data: report } = useQuery(failureQuery(source, build.id));
  const [first, last] = failure.log_excerpt_lines ?? [];
  const { location } = failure;
  const { text, quote } = failureSummary(failure, language);
  const lines = (report?.lines ?? []).filter(({ n }) => first === undefined || n >= first);
  return (
    <section className={styles.card} aria-labelledby="failure">
      <header className={styles.header}>
        <CircleX aria-hidden className={styles.icon} />
        <h2 id="failure">{w.failure}</h2>
        <Badge tone={tones[failure.fault] ?? 'neutral'}>{textOf(own.fault, failure.fault)}</Badge>
        <code className={styles.reason}>{failure.reason_code}</code>
      </header>
      <p className={styles.summary}>{text}</p>
      {quote === null ? null : (
        <p lang="en" className={styles.quote}>
          {quote}
        </p>
      )}
      {location && !`${text} ${quote}`.includes(`${location.file}:${location.line}`) ? (
        <p>
          <span className={styles.label}>{w.where} </span>
          <code>{`${location.file}:${location.line}`}</code>
        </p>
      ) : null}
      <p className={styles.advice}>{plainCode(say(failureAdvice, language, failure.suggestion_message))}</p>
      {lines.length > 0 ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and has to with the keyboard too
        <section className={styles.lines} tabIndex={0} aria-label={w.cause}>
          {lines.map(({ n, text }) => (
            <div
              key={n}
              className={styles.line}
              data-cause={(location !== null && text.includes(location.message)) || undefined}
            >
              <span className={styles.n} aria-hidden="true">
                {n}
              </span>
              <span className={styles.text}>{text}</span>
            </div>
          ))}
        </section>
      ) : null}
      <div className={styles.foot}>
        {first !== undefined && last !== undefined && onJump ? (
          <Button icon={<ScrollText aria-hidden />} onClick={() => onJump(first, last)}>
            {w.toLines(first, last)}
          </Button>
        ) : null}
        <div className={styles.agent}>
          <span className={styles.label}>{w.forAgent}</span>
          <Code label={w.agentCommand}>{`cidermill failure ${build.id}`}</Code>
        </div>
      </div>
    </section>
  );
}

/** Text with code between backticks. */
function plainCode(text: string) {
  return text.split('`').map((part, at) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text
    at % 2 === 1 ? <code key={at}>{part}</code> : part,
  );
}
