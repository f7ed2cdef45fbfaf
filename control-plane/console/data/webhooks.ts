import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  getWebhook,
  listDeliveries,
  listWebhooks,
  redeliver,
  redeliverSince,
  rotateWebhookSecret,
  testWebhook,
} from '../../../client/operations/api.js';
import type { DeliveryStatus, WebhookChanges, WebhookRequest } from '../../../client/types.js';
import { call, type SendOptions, send } from './api.js';
import { useMutation } from './mutation.js';
import { inPlace, type Place } from './place.js';
import { forget, pagesBefore, readQuery, useChange } from './queries.js';
import { queryClient } from './query-client.js';

const PAGE = 30;

export const webhooksQuery = (place: Place) => readQuery([place.id, 'webhooks'], call(inPlace(place, listWebhooks)));

export const webhookQuery = (place: Place, id: string) =>
  readQuery([place.id, 'webhooks', id], call(inPlace(place, getWebhook), id));

export const deliveriesQuery = (place: Place, id: string, status: DeliveryStatus | null) =>
  pagesBefore([place.id, 'deliveries', id, status], (before) =>
    call(inPlace(place, listDeliveries), id, { status, limit: PAGE, before }),
  );

/** A mutation after which webhooks and deliveries are read again. */
const useWebhookChange = <I, O>(place: Place, mutationFn: (input: I, keyed: SendOptions) => Promise<O>) =>
  useChange(mutationFn, () => forget(place.id, 'webhooks', 'deliveries'));

export const useCreateWebhook = (place: Place) =>
  useWebhookChange(place, (body: WebhookRequest, keyed) => send(call(inPlace(place, createWebhook), body), keyed));

export const useChangeWebhook = (place: Place, id: string) =>
  useWebhookChange(place, (body: WebhookChanges) => send(call(inPlace(place, changeWebhook), id, body)));

export const useTestWebhook = (place: Place, id: string) =>
  useWebhookChange(place, () => send(call(inPlace(place, testWebhook), id)));

export const useRotateSecret = (place: Place, id: string) =>
  useWebhookChange(place, (graceS: number, keyed) =>
    send(call(inPlace(place, rotateWebhookSecret), id, { grace_s: graceS }), keyed),
  );

/** The page of a deleted webhook must not ask for it again, so nothing but the list is read. */
export const useDeleteWebhook = (place: Place, id: string) =>
  useMutation({
    mutationFn: () => send(call(inPlace(place, deleteWebhook), id)),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: [place.id, 'webhooks'], exact: true }),
  });

export const useResend = (place: Place, id: string) =>
  useWebhookChange(place, (deliveryId: string) => send(call(inPlace(place, redeliver), id, deliveryId)));

export const useResendSince = (place: Place, id: string) =>
  useWebhookChange(place, (body: { since: string; status?: 'failed' }) =>
    send(call(inPlace(place, redeliverSince), id, body)),
  );
