import type { Notice } from '../../../../client/types.js';
import { RelativeTime } from '../../design/amounts.js';
import { Badge } from '../../design/badge.js';
import { Card } from '../../design/card.js';
import { useWords } from '../../words/use-words.js';
import styles from './notice-card.module.css';
import { words } from './words.js';

/** The service writes notices in English. */
export function NoticeCard({ notice: { subject, text, created_at, read } }: { notice: Notice }) {
  const w = useWords(words);
  const state = (
    <>
      {read ? null : <Badge tone="info">{w.isNew}</Badge>}
      <span className={styles.time}>
        <RelativeTime at={created_at} />
      </span>
    </>
  );
  return (
    <Card title={<span lang="en">{subject}</span>} actions={state}>
      <p lang="en" className={styles.text}>
        {text}
      </p>
    </Card>
  );
}
