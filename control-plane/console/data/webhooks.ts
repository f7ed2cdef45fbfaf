import { useMutation } from '@tanstack/react-query';
import type {
  DeliveryStatus,
  RevealedWebhook,
  Webhook,
  WebhookChanges,
  WebhookDelivery,
  WebhookDeliveryPage,
  WebhookList,
  WebhookRequest,
} from '../../../client/types.js';
import { request } from './api.js';
import { forget, pagesBefore, readQuery, useChange } from './queries.js';
import { queryClient } from './query-client.js';
import { apiPath, type Place } from './query-text.js';

const PAGE = 30;

const pathOf = (place: Place, id: string, rest = '') => apiPath(place, `/webhooks/${encodeURIComponent(id)}${rest}`);

export const webhooksQuery = (place: Place) =>
  readQuery<WebhookList>([place.id, 'webhooks'], apiPath(place, '/webhooks'));

export const webhookQuery = (place: Place, id: string) =>
  readQuery<Webhook>([place.id, 'webhooks', id], pathOf(place, id));

export const deliveriesQuery = (place: Place, id: string, status: DeliveryStatus | null) =>
  pagesBefore<WebhookDeliveryPage>([place.id, 'deliveries', id, status], pathOf(place, id, '/deliveries'), {
    status,
    limit: PAGE,
  });

/** A mutation after which webhooks and deliveries are read again. */
const useWebhookChange = <I, O>(place: Place, mutationFn: (input: I) => Promise<O>) =>
  useChange(mutationFn, () => forget(place.id, 'webhooks', 'deliveries'));

export const useCreateWebhook = (place: Place) =>
  useWebhookChange(place, (body: WebhookRequest) =>
    request<RevealedWebhook>('POST', apiPath(place, '/webhooks'), { body }),
  );

export const useChangeWebhook = (place: Place, id: string) =>
  useWebhookChange(place, (body: WebhookChanges) => request<Webhook>('PATCH', pathOf(place, id), { body }));

export const useTestWebhook = (place: Place, id: string) =>
  useWebhookChange(place, () => request<Webhook>('POST', pathOf(place, id, '/test')));

export const useRotateSecret = (place: Place, id: string) =>
  useWebhookChange(place, (graceS: number) =>
    request<RevealedWebhook>('POST', pathOf(place, id, '/rotate'), { body: { grace_s: graceS } }),
  );

/** The page of a deleted webhook must not ask for it again, so nothing but the list is read. */
export const useDeleteWebhook = (place: Place, id: string) =>
  useMutation({
    mutationFn: () => request<unknown>('DELETE', pathOf(place, id)),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: [place.id, 'webhooks'], exact: true }),
  });

export const useResend = (place: Place, id: string) =>
  useWebhookChange(place, (deliveryId: string) =>
    request<WebhookDelivery>('POST', pathOf(place, id, `/deliveries/${encodeURIComponent(deliveryId)}/redeliver`)),
  );

export const useResendSince = (place: Place, id: string) =>
  useWebhookChange(place, (body: { since: string; status?: 'failed' }) =>
    request<{ redelivered: number }>('POST', pathOf(place, id, '/redeliver'), { body }),
  );
