import { useInfiniteQuery } from '@tanstack/react-query';
import { keysOf, keysQuery } from '../../data/keys.js';
import { useOrganization } from '../../data/session.js';
import { RelativeTime } from '../../design/amounts.js';
import { Badge } from '../../design/badge.js';
import { Card } from '../../design/card.js';
import { Row, Stack } from '../../design/page.js';
import { useNow } from '../../words/use-now.js';
import { useWords } from '../../words/use-words.js';
import styles from './keys.module.css';
import { words } from './words.js';

const SHOWN_MS = 30 * 24 * 3_600_000;

/** Keys that were found in public during the last 30 days. */
export function LeakedKeys() {
  const w = useWords(words);
  const now = useNow(60_000);
  const { data } = useInfiniteQuery(keysQuery(useOrganization(), { state: 'leaked' }));
  const leaked = keysOf(data).filter(
    ({ revoked_reason, revoked_at }) =>
      revoked_reason === 'leaked' && revoked_at !== null && now - Date.parse(revoked_at) < SHOWN_MS,
  );
  if (leaked.length === 0) return null;
  return (
    <Card title={w.leakedTitle(leaked.length)}>
      <Stack>
        <p>{w.leakedText}</p>
        <ul className={styles.leaked}>
          {leaked.map(({ id, name, prefix, revoked_at, leaked_url }) => (
            <li key={id}>
              <Row>
                <Badge tone="bad">{w.states.leaked}</Badge>
                <span>
                  {name} <code>{prefix}…</code>
                </span>
                {revoked_at ? <RelativeTime at={revoked_at} /> : null}
                <FoundAt url={leaked_url} />
              </Row>
            </li>
          ))}
        </ul>
      </Stack>
    </Card>
  );
}

/** The report comes from outside: only web addresses become links. */
function FoundAt({ url }: { url: string | null }) {
  const w = useWords(words);
  if (url === null) return <span>{w.foundUnknown}</span>;
  if (!/^https?:\/\//i.test(url)) return <code>{url}</code>;
  return (
    <a href={url} rel="noopener noreferrer nofollow" target="_blank">
      {w.foundAt}
    </a>
  );
}
