import type { Webhook } from '../../../../client/types.js';
import type { Place } from '../../data/place.js';

export interface WebhookDialogProps {
  readonly place: Place;
  readonly webhook: Webhook;
  onClose(): void;
}
