// Kinds of events of rentals, orders and the waitlist.
export const rentalEventTypes = [
  'rental.started',
  'rental.unavailable',
  'rental.available',
  'rental.ends_soon',
  'rental.ended',
  'rental.extended',
] as const;
export const orderEventTypes = ['order.paid', 'order.expired', 'order.refunded'] as const;
export const waitlistEventTypes = ['waitlist.available'] as const;

export const rentingEventTypes = [...rentalEventTypes, ...orderEventTypes, ...waitlistEventTypes] as const;

export type RentalEventType = (typeof rentalEventTypes)[number];
export type OrderEventType = (typeof orderEventTypes)[number];
export type WaitlistEventType = (typeof waitlistEventTypes)[number];
export type RentingEventType = (typeof rentingEventTypes)[number];

export const rentingEventMeanings: Readonly<Record<RentingEventType, string>> = {
  'rental.started': 'its Mac is ready for the first time, and its time begins',
  'rental.unavailable':
    'its host has lost its Mac and cannot make it again; the host keeps trying, and the time does not run',
  'rental.available': 'its Mac is ready again, after it was unavailable',
  'rental.ends_soon': 'it ends soon, unless it is extended; once per end',
  'rental.ended': 'its time is over, or it was ended early',
  'rental.extended': 'an extension was paid; it ends later',
  'order.paid': 'a person has paid it',
  'order.expired': 'nobody has paid it in time; its Macs are free again',
  'order.refunded': 'all or part of it is refunded; once per refund',
  'waitlist.available': 'the Macs that the entry waits for can be ordered',
};
