import type { MacState } from '../../../../client/types.js';
import { Badge, type Tone } from '../../design/badge.js';
import { shared } from '../../words/shared.js';
import { useWords } from '../../words/use-words.js';

const tones: Readonly<Record<MacState, Tone>> = {
  reserved: 'neutral',
  preparing: 'warn',
  ready: 'good',
  building: 'info',
  resetting: 'warn',
  updating: 'warn',
};

export function MacStateBadge({ state }: { state: MacState }) {
  const w = useWords(shared);
  return <Badge tone={tones[state]}>{w.macState[state]}</Badge>;
}
