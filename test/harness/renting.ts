// Hosts with slots to rent, and orders that are paid without a payment provider, by the same call as real payments.

import { setHostShared } from '../../control-plane/hosts/store/hosts.js';
import type { Tier } from '../../control-plane/macs/domain/tier.js';
import { putTier } from '../../control-plane/macs/store/tiers.js';
import { payOrder } from '../../control-plane/renting/app/order-changes.js';
import { findAnyOrder } from '../../control-plane/renting/store/orders.js';
import type { HostBlock, ImageFact, Inventory, MacFact } from '../../shared/protocol/index.js';
import type { Harness } from './harness.js';
import { imageFact } from './images.js';
import { m4, machine } from './samples.js';

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
export const iso = (ms: number) => new Date(ms).toISOString();

export interface RentingHost {
  readonly hostId: string;
  readonly slotIds: readonly string[];
  /** Reports the state of the desired Mac from the host. */
  mac(rentalId: string, state: MacFact['state'], more?: Partial<MacFact>): Promise<void>;
  /** Returns the rentals of the desired Macs of the host. */
  rentalIds(): Promise<string[]>;
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  /** Reports why the host cannot create Macs; null: it can. */
  block(blocked: HostBlock | null): Promise<void>;
  /** Reports which Xcodes are installed. */
  install(...xcodes: string[]): Promise<void>;
  /** Reports everything that the host has of images. */
  images(...facts: Partial<ImageFact>[]): Promise<void>;
}

export async function putM4(h: Harness, given: Partial<Tier> = {}): Promise<void> {
  const tier: Tier = {
    ...m4,
    xcodeVersions: ['16.2', '16.1'],
    defaultXcode: '16.2',
    runtimes: ['iOS 18.2'],
    tools: ['tuist'],
    ...given,
  };
  await h.store.transaction((tx) => putTier(tx, tier, h.clock.now()));
  h.wake.wake('availability');
  await h.workers.idle();
}

const installed = (xcodes: readonly string[]) =>
  xcodes.map((version) => ({ version, build: null, developer_dir: `/Applications/${version}` }));

const inventoryOfHost = { ...machine, hostname: 'mac', xcodes: installed(['16.2', '16.1']) };

/** Returns a connected host of the tier m4. Creates the tier when it does not exist. */
export async function addHost(
  h: Harness,
  slots: number,
  given: { shared?: boolean; driver?: Inventory['driver']; xcodes?: readonly string[] } = {},
): Promise<RentingHost> {
  h.auditOnClose();
  const inventory = { ...inventoryOfHost, driver: given.driver ?? 'local' };
  if (given.xcodes) inventory.xcodes = installed(given.xcodes);
  if (!(await h.store.get(`SELECT 1 FROM tiers WHERE tier = 'm4'`))) await putM4(h);
  const { token } = await h.hosts.createEnrolment({ tier: 'm4', slots });
  const { host_id: hostId } = await h.hosts.enrol({ token, hostname: 'mac' });
  if (given.shared) await h.store.transaction((tx) => setHostShared(tx, hostId, true));
  let connection: number | null = null;
  const host: RentingHost = {
    hostId,
    slotIds: (await h.hosts.slots(hostId)).map((slot) => slot.slotId),
    async mac(rentalId, state, more = {}) {
      const wanted = await h.macs.desiredMacs(hostId);
      const mac = wanted.find((one) => one.rental_id === rentalId);
      if (!mac) throw new Error(`the host is not to have ${rentalId}`);
      const { slot_id, rental_id, generation, revision, xcode } = mac;
      const fact = { slot_id, rental_id, generation, revision, xcode, state };
      await h.macs.macFacts(hostId, [{ ...fact, refused: null, progress: null, error: null, ...more }]);
      await h.workers.idle();
    },
    rentalIds: async () => (await h.macs.desiredMacs(hostId)).map((mac) => mac.rental_id),
    async connect() {
      const state = { inventory, draining: false, agentVersion: '0.1.0', protocol: 2 };
      connection = await h.hosts.connect(hostId, state);
      await h.workers.idle();
    },
    async block(blocked) {
      await h.hosts.report(hostId, { inventory: { ...inventory, blocked }, draining: false });
      await h.workers.idle();
    },
    async install(...xcodes) {
      inventory.xcodes = installed(xcodes);
      await h.hosts.report(hostId, { inventory, draining: false });
      await h.workers.idle();
    },
    async images(...facts) {
      await h.macs.imageFacts(hostId, facts.map(imageFact));
      await h.workers.idle();
    },
    async disconnect() {
      if (connection !== null) await h.hosts.disconnect(hostId, connection);
      await h.workers.idle();
    },
  };
  await host.connect();
  return host;
}

export interface OrderBody {
  order_no: string;
  status: string;
  pay_url: string;
  rental_ids: string[];
  [field: string]: unknown;
}

/** Sends POST /orders, which must be accepted. */
export async function order(h: Harness, body: object = {}, key = h.keys.all): Promise<OrderBody> {
  const answer = await h.call('POST', '/orders', { key, body: { tier: 'm4', hours: 24, ...body } });
  if (answer.statusCode !== 201) throw new Error(`the order was refused: ${answer.body}`);
  return answer.json();
}

/** Pays the order; returns false when it cannot be paid any more. */
export async function pay(h: Harness, orderNo: string): Promise<boolean> {
  const paid = await h.store.transaction(async (tx) => {
    const seen = await findAnyOrder(tx, orderNo);
    return seen && payOrder(tx, h.orderDeps, seen, h.clock.now());
  });
  await h.workers.idle();
  return paid !== null;
}

/** Orders and pays, reports every Mac as ready, and returns the rentals. */
export async function rent(h: Harness, host: RentingHost, body: object = {}, key = h.keys.all): Promise<string[]> {
  const { order_no } = await order(h, body, key);
  await pay(h, order_no);
  const { rental_ids } = (await h.call('GET', `/orders/${order_no}`, { key })).json<OrderBody>();
  for (const rentalId of rental_ids) await host.mac(rentalId, 'ready');
  return rental_ids;
}

export const codeOf = (answer: { json(): { error?: { code: string } } }) => answer.json().error?.code;
