import { infiniteQueryOptions, queryOptions, useMutation } from '@tanstack/react-query';
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
import { queryClient } from './query-client.js';
import { apiPath, type Place } from './query-text.js';

const PAGE = 30;

const pathOf = (place: Place, id: string, rest = '') => apiPath(place, `/webhooks/${encodeURIComponent(id)}${rest}`);

export const webhooksQuery = (place: Place) =>
  queryOptions({
    queryKey: [place.id, 'webhooks'],
    queryFn: ({ signal }) => request<WebhookList>('GET', apiPath(place, '/webhooks'), { signal }),
  });

export const webhookQuery = (place: Place, id: string) =>
  queryOptions({
    queryKey: [place.id, 'webhooks', id],
    queryFn: ({ signal }) => request<Webhook>('GET', pathOf(place, id), { signal }),
  });

export const deliveriesQuery = (place: Place, id: string, status: DeliveryStatus | null) =>
  infiniteQueryOptions({
    queryKey: [place.id, 'deliveries', id, status],
    queryFn: ({ signal, pageParam }) =>
      request<WebhookDeliveryPage>('GET', pathOf(place, id, '/deliveries'), {
        query: { status, before: pageParam, limit: PAGE },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_before,
  });

/** A mutation after which webhooks and deliveries are read again. */
const useChange = <I, O>(place: Place, mutationFn: (input: I) => Promise<O>) =>
  useMutation({
    mutationFn,
    onSuccess: () =>
      Promise.all(
        ['webhooks', 'deliveries'].map((noun) => queryClient.invalidateQueries({ queryKey: [place.id, noun] })),
      ),
  });

export const useCreateWebhook = (place: Place) =>
  useChange(place, (body: WebhookRequest) => request<RevealedWebhook>('POST', apiPath(place, '/webhooks'), { body }));

export const useChangeWebhook = (place: Place, id: string) =>
  useChange(place, (body: WebhookChanges) => request<Webhook>('PATCH', pathOf(place, id), { body }));

export const useTestWebhook = (place: Place, id: string) =>
  useChange(place, () => request<Webhook>('POST', pathOf(place, id, '/test')));

export const useRotateSecret = (place: Place, id: string) =>
  useChange(place, (graceS: number) =>
    request<RevealedWebhook>('POST', pathOf(place, id, '/rotate'), { body: { grace_s: graceS } }),
  );

/** The page of a deleted webhook must not ask for it again, so nothing but the list is read. */
export const useDeleteWebhook = (place: Place, id: string) =>
  useMutation({
    mutationFn: () => request<unknown>('DELETE', pathOf(place, id)),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: [place.id, 'webhooks'], exact: true }),
  });

export const useResend = (place: Place, id: string) =>
  useChange(place, (deliveryId: string) =>
    request<WebhookDelivery>('POST', pathOf(place, id, `/deliveries/${encodeURIComponent(deliveryId)}/redeliver`)),
  );

export const useResendSince = (place: Place, id: string) =>
  useChange(place, (body: { since: string; status?: 'failed' }) =>
    request<{ redelivered: number }>('POST', pathOf(place, id, '/redeliver'), { body }),
  );
