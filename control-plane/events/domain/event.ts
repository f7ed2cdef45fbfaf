// All kinds of events that webhooks can receive.

import { z } from 'zod';
import { type BuildEventType, buildEventTypes, TEST_EVENT } from '../../builds/domain/event.js';
import {
  buildEventMeanings,
  buildEventShapes,
  changedShape,
  stalledShape,
  testShape,
} from '../../builds/domain/event-payload.js';
import { enumeration } from '../../platform/domain/enumeration.js';
import {
  orderEventTypes,
  rentalEventTypes,
  rentingEventMeanings,
  rentingEventTypes,
} from '../../renting/domain/event.js';
import { orderEventShape, rentalEventShape, waitlistEventShape } from '../../renting/domain/event-payload.js';

export const eventTypes = [...buildEventTypes, ...rentingEventTypes] as const;
export type EventType = (typeof eventTypes)[number];

export const eventMeanings: Readonly<Record<EventType, string>> = {
  ...buildEventMeanings,
  ...rentingEventMeanings,
};

export const webhookEventType = enumeration(eventTypes, {
  id: 'WebhookEventType',
  title: 'What happened',
  meanings: eventMeanings,
});

const ofBuilds: ReadonlySet<string> = new Set(buildEventTypes);
export const isBuildEvent = (type: EventType): type is BuildEventType => ofBuilds.has(type);

const shapeOf = (type: EventType): z.ZodType => {
  if (isBuildEvent(type)) return buildEventShapes[type];
  if (rentalEventTypes.some((each) => each === type)) return rentalEventShape;
  return orderEventTypes.some((each) => each === type) ? orderEventShape : waitlistEventShape;
};

/** The shape of every event by its kind, in the order in which they are documented. */
export const eventShapes: ReadonlyMap<EventType | typeof TEST_EVENT, z.ZodType> = new Map([
  ...eventTypes.map((type) => [type, shapeOf(type)] as const),
  [TEST_EVENT, testShape] as const,
]);

export const webhookEventShape = z
  .discriminatedUnion('event_type', [
    changedShape,
    stalledShape,
    rentalEventShape,
    orderEventShape,
    waitlistEventShape,
    testShape,
  ])
  .meta({ id: 'WebhookEvent', title: 'The body sent to a receiver; `event_type` tells which' });
