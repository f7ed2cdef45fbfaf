import { Badge, type Tone } from '../../design/badge.js';
import { shared } from '../../words/shared.js';
import { useWords } from '../../words/use-words.js';
import { type OrderPhase, type Phased, phaseOf } from './progress.js';

const tones: Readonly<Record<OrderPhase, Tone>> = {
  awaiting_payment: 'warn',
  paid: 'info',
  reserved: 'info',
  provisioning: 'info',
  ready: 'good',
  ended: 'neutral',
  refunded: 'neutral',
  expired: 'neutral',
  canceled: 'neutral',
};

/** Returns the words for how an order is now. `approval`: no money moves. */
export function usePhaseWord() {
  const { orderStatus, approvalStatus } = useWords(shared);
  const approvals: Readonly<Partial<Record<OrderPhase, string>>> = approvalStatus;
  return (phase: OrderPhase, approval: boolean): string => (approval && approvals[phase]) || orderStatus[phase];
}

export function OrderBadge({ order, approval = false }: { order: Phased; approval?: boolean }) {
  const word = usePhaseWord();
  const phase = phaseOf(order);
  return <Badge tone={tones[phase]}>{word(phase, approval)}</Badge>;
}
