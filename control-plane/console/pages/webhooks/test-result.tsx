import type { Webhook } from '../../../../client/types.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

/** What the receiver answered to the last test. */
export function TestResult({ test }: Pick<Webhook, 'test'>) {
  const w = useWords(words);
  const status = test.http_status === null ? null : w.http(String(test.http_status));
  return <p role="status">{test.ok ? w.testOk(status ?? '2xx') : w.testFailed(test.error ?? status ?? w.noAnswer)}</p>;
}
