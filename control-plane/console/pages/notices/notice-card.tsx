import type { Notice } from '../../../../client/types.js';
import { noticeIn } from '../../../../shared/messages/notice.js';
import { RelativeTime } from '../../design/amounts.js';
import { Badge } from '../../design/badge.js';
import { Card } from '../../design/card.js';
import { useLanguage } from '../../words/language.js';
import { useWords } from '../../words/use-words.js';
import styles from './notice-card.module.css';
import { words } from './words.js';

export function NoticeCard({ notice }: { notice: Notice }) {
  const w = useWords(words);
  const language = useLanguage();
  const { created_at, read } = notice;
  const said = noticeIn(language, notice);
  const { subject, text } = said ?? notice;
  const lang = said ? language : 'en';
  const state = (
    <>
      {read ? null : <Badge tone="info">{w.isNew}</Badge>}
      <span className={styles.time}>
        <RelativeTime at={created_at} />
      </span>
    </>
  );
  return (
    <Card title={<span lang={lang}>{subject}</span>} actions={state}>
      <p lang={lang} className={styles.text}>
        {text}
      </p>
    </Card>
  );
}
