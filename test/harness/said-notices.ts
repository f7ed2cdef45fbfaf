import { textIn } from '../../control-plane/access/domain/notice.js';
import { notices } from '../../control-plane/access/store/notices.js';
import type { Queries } from '../../control-plane/platform/store/sql.js';

/** Returns what the notices of a kind say: in English, and as `ko` in Korean. */
export async function saidNotices(store: Queries, kind: string) {
  const found = await notices.all(store, 'WHERE kind = :kind ORDER BY created_at, notice_id', { kind });
  return found.map((notice) => ({ ...textIn('en', notice), ko: textIn('ko', notice) }));
}
