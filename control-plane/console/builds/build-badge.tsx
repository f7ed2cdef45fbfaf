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

type WithStatus = Pick<Build, 'status' | 'stop_requested_at'>;

/** Returns a function that says how a build goes. */
export function useStatusText(): (build: WithStatus) => string {
  const w = useWords(shared);
  const own = useWords(words);
  return ({ status, stop_requested_at: stop }) =>
    status === 'running' && stop !== null ? own.stopping : textOf(w.buildStatus, status);
}

export function BuildBadge({ build }: { build: WithStatus }) {
  const textOfStatus = useStatusText();
  return <Badge tone={toneOf[build.status] ?? 'neutral'}>{textOfStatus(build)}</Badge>;
}
