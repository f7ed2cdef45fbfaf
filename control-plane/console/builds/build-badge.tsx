import type { Build, BuildStatus } from '../../../client/types.js';
import { Badge, type Tone } from '../design/badge.js';
import { shared } from '../words/shared.js';
import { useWords } from '../words/use-words.js';
import { textOf, words } from './words.js';

export const toneOf: Readonly<Record<BuildStatus, Tone>> = {
  queued: 'neutral',
  running: 'info',
  succeeded: 'good',
  failed: 'bad',
  expired: 'warn',
  cancelled: 'neutral',
};

export function BuildBadge({ build }: { build: Pick<Build, 'status' | 'stop_requested_at'> }) {
  const w = useWords(shared);
  const own = useWords(words);
  const stopping = build.status === 'running' && build.stop_requested_at !== null;
  return (
    <Badge tone={toneOf[build.status] ?? 'neutral'}>
      {stopping ? own.stopping : textOf(w.buildStatus, build.status)}
    </Badge>
  );
}
