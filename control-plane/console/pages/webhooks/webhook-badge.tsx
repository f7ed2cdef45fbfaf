import type { Webhook } from '../../../../client/types.js';
import { Badge } from '../../design/badge.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

export function WebhookBadge({ webhook: { status, disabled_reason: reason } }: { webhook: Webhook }) {
  const w = useWords(words);
  if (status === 'enabled') return <Badge tone="good">{w.enabled}</Badge>;
  return (
    <Badge tone={reason === 'by_request' ? 'neutral' : 'bad'}>{reason ? w.disabled[reason] : w.disabledPlain}</Badge>
  );
}
