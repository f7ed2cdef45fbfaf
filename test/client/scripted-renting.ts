// The renting half of the scripted service: orders, Macs, their changes and the waitlist. Nothing happens by
// itself: a test pays, lets Macs become ready, and ends jobs.
import { EventEmitter } from 'node:events';
import type { ExtensionItem, Job, OperationResult, Order, RentalDetail, WaitlistEntry } from '../../client/index.js';

const DAY_WON = 10_000;
const XCODES = ['16.2', '16.0'];
const RUNTIMES = ['iOS 18.2', 'iOS 17.5'];

export interface ScriptedRenting {
  orders: Map<string, Order>;
  rentals: Map<string, RentalDetail>;
  jobs: Map<string, Job>;
  waitlist: Map<string, WaitlistEntry>;
  /** Macs that can be ordered now. */
  free: number;
  /** A person has paid: a rental order's Macs are being prepared, an extension's have their time. */
  pay(orderNo: string): void;
  /** Ends an order that awaits its payment, or that no Mac could be given for. */
  drop(orderNo: string, status: 'expired' | 'canceled'): void;
  /** The Mac is ready; the order is, once all its Macs are. */
  prepared(rentalId: string): void;
  /** An account that has a Mac from the start. */
  addMac(change?: Partial<RentalDetail>): RentalDetail;
  changeJob(jobId: string, change: Partial<Job>): void;
  /** Answers a request; null when it is about something else. */
  answer(request: RentingRequest): Promise<RentingAnswer | null>;
}

export interface RentingRequest {
  method: string;
  /** Parts of the path below base_url. */
  parts: string[];
  query: URLSearchParams;
  body: Record<string, unknown>;
}

export interface RentingAnswer {
  status: number;
  body?: unknown;
  /** Code of the error, and what it adds to the envelope. */
  code?: string;
  more?: Record<string, unknown>;
}

const fail = (status: number, code: string, more: Record<string, unknown> = {}): RentingAnswer => ({
  status,
  code,
  more: { fault: 'client', ...more },
});
const CREATED = '2026-01-01T00:00:00Z';

/** @param origin for the pay links */
export function createScriptedRenting(origin: string): ScriptedRenting {
  const changed = new EventEmitter().setMaxListeners(0);
  let serial = 0;
  const next = (prefix: string) => `${prefix}${String(++serial).padStart(4, '0')}`;

  const renting: ScriptedRenting = {
    orders: new Map(),
    rentals: new Map(),
    jobs: new Map(),
    waitlist: new Map(),
    free: 4,
    pay(orderNo) {
      const order = orderOf(orderNo);
      if (order.kind === 'extension') {
        for (const id of order.rental_ids) macOf(id).remaining_s += order.hours * 3600;
        return setOrder(order, { status: 'ready', paid_at: CREATED });
      }
      const ahead = order.start !== 'now';
      const macs = Array.from({ length: order.units }, (_, at) =>
        renting.addMac({
          ...(order.names[at] === undefined ? {} : { name: order.names[at] }),
          tier: order.tier ?? 'local',
          state: ahead ? 'reserved' : 'preparing',
          mac_state: ahead ? null : 'preparing',
          remaining_s: order.hours * 3600,
          starts_at: ahead ? order.start : null,
        }),
      );
      setOrder(order, {
        status: 'provisioning',
        paid_at: CREATED,
        rental_ids: macs.map(({ rental_id }) => rental_id),
        names: macs.map(({ name }) => name),
      });
    },
    drop: (orderNo, status) => setOrder(orderOf(orderNo), { status }),
    prepared(rentalId) {
      Object.assign(macOf(rentalId), {
        state: 'ready',
        mac_state: 'ready',
        ends_at: '2026-01-03T00:00:00Z',
      });
      for (const order of renting.orders.values()) {
        const macs = order.rental_ids.map(macOf);
        if (order.status === 'provisioning' && macs.every(({ state }) => state === 'ready'))
          setOrder(order, { status: 'ready' });
      }
    },
    addMac(change = {}) {
      const rentalId = change.rental_id ?? next('rt_');
      const mac: RentalDetail = {
        resets: { left: 20, next_at: null },
        rental_id: rentalId,
        // Tests that are not about names call a Mac by its id.
        name: rentalId,
        progress: null,
        problem: null,
        tier: 'local',
        labels: {},
        xcode: '16.2',
        state: 'ready',
        starts_at: CREATED,
        ends_at: '2026-01-02T00:00:00Z',
        hours: 24,
        amount_won: DAY_WON,
        remaining_s: 86_400,
        can_extend: true,
        max_extend_days: 29,
        quote_hint: { days: 1, amount_won: DAY_WON },
        mac_state: 'ready',
        setup: { xcode: '16.2', runtimes: ['iOS 18.2'], tools: [] },
        setup_options: { xcode: XCODES, runtimes: RUNTIMES, tools: ['cocoapods'] },
        op: null,
        current_build: null,
        queued_builds: 0,
        ...change,
      };
      renting.rentals.set(mac.rental_id, mac);
      return mac;
    },
    changeJob(jobId, change) {
      const job = renting.jobs.get(jobId);
      if (!job) throw new Error(`no job ${jobId}`);
      Object.assign(job, change);
    },
    answer,
  };

  const orderOf = (orderNo: string): Order => {
    const order = renting.orders.get(orderNo);
    if (!order) throw new Error(`no order ${orderNo}`);
    return order;
  };
  const macOf = (rentalId: string): RentalDetail => {
    const mac = renting.rentals.get(rentalId);
    if (!mac) throw new Error(`no Mac ${rentalId}`);
    return mac;
  };
  const setOrder = (order: Order, change: Partial<Order>) => {
    Object.assign(order, change);
    changed.emit(order.order_no);
  };

  function makeOrder(change: Partial<Order> & { amount_won: number }): Order {
    const orderNo = next('RT-');
    const vat = Math.floor((2 * change.amount_won + 11) / 22);
    const order: Order = {
      order_no: orderNo,
      status: 'awaiting_payment',
      kind: 'rental',
      pay_url: `${origin}/pay/${orderNo}`,
      pay_expires_at: '2026-01-01T00:30:00Z',
      rental_ids: [],
      rentals_start_at: null,
      rentals_ended_at: null,
      names: [],
      tier: 'local',
      hours: 24,
      units: 1,
      supply_won: change.amount_won - vat,
      vat_won: vat,
      start: 'now',
      setup: { xcode: null },
      items: [],
      created_at: CREATED,
      paid_at: null,
      receipt_url: null,
      refunded_won: 0,
      refunded_at: null,
      ended_at: null,
      end_reason: null,
      ...change,
    };
    renting.orders.set(orderNo, order);
    return order;
  }

  function makeJob(mac: RentalDetail, kind: Job['kind'], body: Record<string, unknown>): Job {
    const id = next('op_');
    const busy = mac.state === 'building';
    const job: Job = {
      id,
      job_id: id,
      rental_id: mac.rental_id,
      rental_name: mac.name,
      kind,
      status: busy ? 'queued' : 'running',
      when: body.when === 'now' || body.when === 'after_build' ? body.when : null,
      error: null,
      message: null,
      reason: null,
      progress: busy ? null : { step: 'begin', percent: 0, image: null },
      created_at: CREATED,
      started_at: busy ? null : CREATED,
      ended_at: null,
    };
    renting.jobs.set(id, job);
    mac.op = job;
    return job;
  }

  /** The code for which a change of this Mac is refused now. */
  function refusal(mac: RentalDetail, { when }: Record<string, unknown>): string | null {
    if (mac.op && mac.op.status !== 'done' && mac.op.status !== 'failed') return 'job_in_progress';
    return mac.state === 'building' && when === undefined ? 'rental_busy' : null;
  }

  function change(mac: RentalDetail, kind: Job['kind'], body: Record<string, unknown>): OperationResult {
    const about = { rental_id: mac.rental_id, rental_name: mac.name };
    if (kind === 'xcode' && !XCODES.includes(String(body.version))) {
      return {
        ...about,
        result: 'rejected',
        reason: 'xcode_not_available',
        message: `Xcode ${body.version} cannot be selected.`,
        detail: { options: XCODES },
      };
    }
    const reason = refusal(mac, body);
    if (reason !== null) return { ...about, result: 'rejected', reason };
    if (kind === 'xcode' && body.version === mac.xcode) return { ...about, result: 'accepted', status: 'unchanged' };
    const job = makeJob(mac, kind, body);
    return { ...about, result: 'accepted', job_id: job.job_id };
  }

  function single(id: string, kind: Job['kind'], body: Record<string, unknown>): RentingAnswer {
    const mac = renting.rentals.get(id);
    if (!mac) return fail(404, 'rental_not_found');
    const result = change(mac, kind, body);
    if (result.reason === 'xcode_not_available') return fail(400, result.reason, { options: XCODES });
    if (result.reason !== undefined) {
      const again = { action: 'repeat', method: 'POST', path: `/api/v1/rentals/${id}/${kind}` };
      return fail(409, result.reason, {
        retryable: true,
        ...(result.reason === 'job_in_progress'
          ? {
              job_id: mac.op?.job_id,
              next: [{ action: 'see_job', method: 'GET', path: `/api/v1/jobs/${mac.op?.job_id}` }],
            }
          : { next: [{ ...again, body: { ...body, when: 'after_build' } }] }),
      });
    }
    return { status: result.status === 'unchanged' ? 200 : 202, body: result };
  }

  function several(kind: Job['kind'], body: Record<string, unknown>): RentingAnswer {
    const ids = body.all === true ? [...renting.rentals.keys()] : (body.ids as string[]);
    if (ids.some((id) => !renting.rentals.has(id))) return fail(404, 'rental_not_found');
    return { status: 200, body: { results: ids.map((id) => change(macOf(id), kind, body)) } };
  }

  function extensionItems(ids: string[], hours: number): ExtensionItem[] {
    return ids.map((rental_id) => {
      const mac = macOf(rental_id);
      const about = { rental_id, rental_name: mac.name, tier: mac.tier };
      if (!mac.can_extend)
        return { ...about, ok: false, reason: 'extension_deadline', message: 'It ends in a moment.' };
      return {
        ...about,
        ok: true,
        amount_won: (hours / 24) * DAY_WON,
        ends_at: mac.ends_at ?? CREATED,
        new_ends_at: '2026-01-09T00:00:00Z',
      };
    });
  }

  function extend(ids: string[], { hours }: Record<string, unknown>): RentingAnswer {
    if (ids.some((id) => !renting.rentals.has(id))) return fail(404, 'rental_not_found');
    const items = extensionItems(ids, Number(hours));
    if (items.some(({ ok }) => !ok)) return fail(409, 'extension_unavailable', { items });
    const amount_won = ids.length * (Number(hours) / 24) * DAY_WON;
    const bought = items.map(({ rental_id }) => ({
      rental_id,
      tier: macOf(rental_id).tier,
      amount_won: amount_won / ids.length,
      refunded: false,
    }));
    return {
      status: 201,
      body: makeOrder({
        kind: 'extension',
        hours: Number(hours),
        units: ids.length,
        amount_won,
        rental_ids: ids,
        items: bought,
      }),
    };
  }

  async function answer({ method, parts, query, body }: RentingRequest): Promise<RentingAnswer | null> {
    const [noun = '', id = '', verb = '', last = ''] = parts;
    const units = Number(body.units ?? 1);
    const hours = Number(body.hours);
    const amount_won = (units * hours * DAY_WON) / 24;
    switch (`${method} ${noun}`) {
      case 'POST quote':
      case 'POST orders': {
        if (body.tier !== 'local') return fail(400, 'invalid_tier');
        if (hours % 24 !== 0) return fail(422, 'invalid_period');
        if (noun === 'quote') {
          const breakdown = [{ period: '24h', count: (units * hours) / 24, amount_won }];
          const availability = { available_now: renting.free, sales_open: true };
          const answer = { tier: 'local', hours, units, unit_price_won: DAY_WON, amount_won, breakdown };
          return { status: 200, body: { ...answer, ...availability } };
        }
        if (renting.free < units) {
          const path = '/api/v1/waitlist';
          const wait = { action: 'join_waitlist', method: 'POST', path, body: { tier: 'local', units } };
          return fail(409, 'no_capacity', { fault: 'capacity', retryable: true, next: [wait] });
        }
        renting.free -= units;
        const start = (body.start as string) ?? 'now';
        const setup = { xcode: (body.setup as { xcode?: string })?.xcode ?? null };
        const names = (body.names as string[] | undefined) ?? [];
        return { status: 201, body: makeOrder({ hours, units, amount_won, start, setup, names }) };
      }
      case 'GET orders': {
        if (id === '') {
          const wanted = query.get('status');
          const all = [...renting.orders.values()].reverse();
          const orders = all.filter(({ status }) => wanted === null || status === wanted);
          return { status: 200, body: { orders, next_before: null } };
        }
        const order = renting.orders.get(id);
        if (!order) return fail(404, 'order_not_found');
        if (verb === 'wait' && !['ready', 'expired', 'canceled'].includes(order.status))
          await changeOf(id, Number(query.get('timeout') ?? 60) * 1000);
        return { status: 200, body: order };
      }
      case 'GET rentals': {
        if (id !== '') {
          const mac = renting.rentals.get(id);
          return mac ? { status: 200, body: mac } : fail(404, 'rental_not_found');
        }
        const queue = { running_count: 0, queued_count: 0, estimate_basis: 'timeout_budget' };
        const rentals = [...renting.rentals.values()];
        return { status: 200, body: { rentals, queue: { ...queue, running: [], queued: [] } } };
      }
      case 'PATCH rentals': {
        const mac = renting.rentals.get(id);
        if (!mac || body.name === undefined) return single(id, 'setup', body);
        const about = { rental_id: id, rental_name: String(body.name), result: 'accepted' as const };
        if (mac.name === body.name) return { status: 200, body: { ...about, status: 'unchanged' } };
        if ([...renting.rentals.values()].some(({ name }) => name === body.name)) return fail(409, 'name_taken');
        mac.name = String(body.name);
        return { status: 200, body: about };
      }
      case 'POST rentals':
        if (id === 'reset' || id === 'xcode') return several(id, body);
        if (verb === 'reset' || verb === 'xcode') return single(id, verb, body);
        if (id === 'extend' && verb === 'quote') {
          const items = extensionItems(body.rental_ids as string[], hours);
          const sum = items.reduce((won, item) => won + (item.amount_won ?? 0), 0);
          return { status: 200, body: { hours, amount_won: sum, items } };
        }
        if (last === 'quote') {
          const breakdown = [{ period: '24h', count: hours / 24, amount_won }];
          const ends = { ends_at: '2026-01-02T00:00:00Z', new_ends_at: '2026-01-09T00:00:00Z' };
          return { status: 200, body: { rental_id: id, hours, amount_won, breakdown, ...ends } };
        }
        return extend(id === 'extend' ? (body.rental_ids as string[]) : [id], body);
      case 'GET jobs': {
        const job = renting.jobs.get(id);
        return job ? { status: 200, body: job } : fail(404, 'job_not_found');
      }
      case 'GET waitlist':
        return { status: 200, body: { entries: [...renting.waitlist.values()] } };
      case 'POST waitlist': {
        if (renting.free >= units) return fail(409, 'available_now');
        const entry: WaitlistEntry = {
          id: next('wl_'),
          tier: String(body.tier),
          units,
          status: 'waiting',
          position: renting.waitlist.size + 1,
          created_at: CREATED,
          notified_at: null,
        };
        renting.waitlist.set(entry.id, entry);
        return { status: 201, body: entry };
      }
      case 'DELETE waitlist': {
        const entry = renting.waitlist.get(id);
        if (!entry) return fail(404, 'waitlist_not_found');
        if (entry.status !== 'waiting') return fail(409, 'waitlist_not_cancellable');
        Object.assign(entry, { status: 'cancelled', position: null });
        return { status: 200, body: entry };
      }
      default:
        return null;
    }
  }

  function changeOf(orderNo: string, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        changed.off(orderNo, done);
        resolve();
      };
      const timer = setTimeout(done, ms).unref();
      changed.on(orderNo, done);
    });
  }

  return renting;
}
