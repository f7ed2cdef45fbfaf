// The states of Macs.
import type { MacState as State } from '../../../client/types.js';
import { shared } from '../words/shared.js';
import { useWords } from '../words/use-words.js';
import { Badge, type Tone } from './badge.js';

const macs: Readonly<Record<State, Tone>> = {
  reserved: 'neutral',
  preparing: 'info',
  ready: 'good',
  building: 'info',
  resetting: 'warn',
  updating: 'warn',
};

export function MacState({ state }: { state: State }) {
  const w = useWords(shared);
  return <Badge tone={macs[state]}>{w.macState[state]}</Badge>;
}
