// GET /v1/organizations/:org_id/builds/:build_id/events.

import { z } from 'zod';
import type { BuildEventType } from '../../builds/domain/event.js';
import { buildEventType } from '../../builds/domain/event-payload.js';
import { scopeOf } from '../../platform/domain/caller.js';
import { isoTime } from '../../platform/domain/iso-time.js';
import { errorShapes, errorView } from '../../platform/http/message-view.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import { time } from '../../platform/http/values.js';
import type { BuildEvents, DeliveredEvent } from '../app/build-events.js';
import { deliveryStatus } from './webhooks-view.js';

const eventShape = z
  .object({
    id: z.string(),
    type: buildEventType,
    sequence: z.int().min(1).meta({ description: 'Number within the build, from 1' }),
    at: time,
    deliveries: z.array(
      z
        .object({
          id: z.string(),
          webhook_id: z.string().nullable().meta({ description: 'Null: the `notify_url` of the build' }),
          status: deliveryStatus,
          attempt: z.int().min(0).meta({ title: 'Number of attempts made' }),
          http_status: z.int().nullable(),
          ...errorShapes,
          delivered_at: time.nullable(),
          next_attempt_at: time.nullable(),
        })
        .meta({ id: 'BuildEventDelivery' }),
    ),
  })
  .meta({ id: 'DeliveredBuildEvent' });

export function createBuildEventRoutes({ buildEvents }: { buildEvents: BuildEvents }): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/v1/organizations/:org_id/builds/:build_id/events',
      operationId: 'listBuildEvents',
      level: 'read',
      consoleOnly: true,
      summary: 'The events of a build and their deliveries, in order',
      params: z.object({ org_id: z.string(), build_id: z.string() }),
      responses: {
        200: z
          .object({
            data: z.array(eventShape),
            submitted_by: z
              .object({ key_id: z.string(), name: z.string() })
              .nullable()
              .meta({ description: 'The API key; null: a person in the console' }),
          })
          .meta({ id: 'BuildEventList' }),
      },
      errors: ['build_not_found'],
      async handle({ caller, params }) {
        const { events, key } = await buildEvents(scopeOf(caller), params.build_id);
        const submitted_by = key && { key_id: key.keyId, name: key.name };
        return { status: 200, body: { data: events.map(eventView), submitted_by } };
      },
    }),
  ];
}

function eventView({ event, deliveries }: DeliveredEvent): z.infer<typeof eventShape> {
  return {
    id: event.eventId,
    type: event.eventType as BuildEventType,
    sequence: event.sequence,
    at: isoTime(event.occurredAt),
    deliveries: deliveries.map((delivery) => ({
      id: delivery.deliveryId,
      webhook_id: delivery.receiver === event.subjectId ? null : delivery.receiver,
      status: delivery.status,
      attempt: delivery.attempt,
      http_status: delivery.httpStatus,
      ...errorView(delivery),
      delivered_at: isoTime(delivery.deliveredAt),
      next_attempt_at: delivery.claimed ? null : isoTime(delivery.dueAt),
    })),
  };
}
