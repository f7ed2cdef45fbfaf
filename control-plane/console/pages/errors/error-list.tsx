import type { RecordedError } from '../../../../client/types.js';
import type { Language } from '../../../../shared/language.js';
import { uncoded } from '../../../../shared/messages/message.js';
import { type FailureSummary, failureSummary } from '../../builds/failure-summary.js';
import { RelativeTime } from '../../design/amounts.js';
import { Badge, type Tone } from '../../design/badge.js';
import { LinkButton } from '../../design/button.js';
import { CopyButton } from '../../design/copy-button.js';
import { LONG_MESSAGE } from '../../design/failure-note.js';
import { wordsOfError } from '../../words/errors.js';
import { useLanguage } from '../../words/language.js';
import { useWords } from '../../words/use-words.js';
import styles from './error-list.module.css';
import { faults } from './search.js';
import { words } from './words.js';

export function ErrorList({ errors }: { errors: readonly RecordedError[] }) {
  return (
    <ul className={styles.list}>
      {errors.map((error) => (
        <ErrorEntry key={error.id} error={error} />
      ))}
    </ul>
  );
}

function ErrorEntry({ error }: { error: RecordedError }) {
  const w = useWords(words);
  const language = useLanguage();
  const text = error.kind === 'api' ? wordsOfError(error.code, language) : null;
  const failed = error.kind === 'build' ? failureOf(error, language) : null;
  const next = error.kind === 'build' ? w.buildNext : text?.next;
  const message = failed?.text ?? text?.what ?? error.message;
  const quote = failed ? failed.quote : message === error.message ? null : error.message;
  return (
    <li className={styles.entry}>
      <div className={styles.about}>
        <RelativeTime at={error.at} />
        <FaultBadge fault={error.fault} />
      </div>
      <div className={styles.texts}>
        <p className={styles.message} data-long={message.length > LONG_MESSAGE || undefined}>
          {message}
        </p>
        {quote === null ? null : <p lang="en">{quote}</p>}
        {next ? <p className={styles.next}>{next}</p> : null}
        <p className={styles.facts}>
          <code>{error.code}</code>
          {error.http_status === null ? null : <span>{w.http(String(error.http_status))}</span>}
          {error.method === null ? null : (
            <code>
              {error.method} {error.path}
            </code>
          )}
          {error.key_name === null ? null : (
            <span>
              {w.key}: {error.key_name}
            </span>
          )}
          {error.request_id === null ? null : (
            <span className={styles.id}>
              <code>{error.request_id}</code>
              <CopyButton text={error.request_id} label={w.copyId} />
            </span>
          )}
        </p>
      </div>
      <div className={styles.actions}>
        {error.build_id === null ? null : (
          <LinkButton small to="/o/$org/builds/$build_id" params={{ build_id: error.build_id }}>
            {w.openBuild}
          </LinkButton>
        )}
        {error.kind === 'api' ? (
          <a href={`/docs/errors/${encodeURIComponent(error.code)}`} target="_blank" rel="noreferrer">
            {w.about}
          </a>
        ) : null}
      </div>
    </li>
  );
}

function failureOf({ code, message, failure_message: said }: RecordedError, language: Language): FailureSummary {
  const failure = { reason_code: code, summary: message, summary_message: said ?? uncoded(message) };
  return failureSummary(failure, language);
}

const tones: Readonly<Record<string, Tone>> = { platform: 'bad', customer: 'warn', client: 'warn' };

function FaultBadge({ fault }: Pick<RecordedError, 'fault'>) {
  const w = useWords(words);
  const known = faults.find((each) => each === fault);
  return <Badge tone={tones[fault] ?? 'neutral'}>{known ? w.faults[known] : fault}</Badge>;
}
