// GET /status, asked so often that its text is kept for as long as it is true: until something is written to the
// database, or the second is over (everything in it that follows time is in whole seconds).
import type { Clock } from '../../../shared/clock.js';
import type { SiteAddresses } from '../../platform/domain/addresses.js';
import type { Account } from '../../platform/domain/caller.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import type { Status } from '../app/status.js';
import { statusShape, statusView } from './status-view.js';

export interface StatusRoutesDeps {
  readonly status: Status;
  readonly clock: Clock;
  readonly site: SiteAddresses;
}

interface Kept {
  readonly account: Account;
  readonly revision: string;
  readonly now: number;
  readonly text: string;
}

/** Accounts whose status is kept. */
const MOST_KEPT = 1000;

export function createStatusRoutes({ status, clock, site }: StatusRoutesDeps): AnyRoute[] {
  const kept = new Map<number, Kept>();
  return [
    route({
      method: 'GET',
      path: '/status',
      summary: 'Macs, queue, advice and the last builds at a glance',
      responses: { 200: statusShape },
      async handle(input) {
        const { account } = input.caller;
        const now = Math.floor(clock.now() / 1000) * 1000;
        const known = kept.get(account.id);
        const same = known?.now === now && known.account === account;
        if (same && known.revision === (await status.revision())) return json(known.text);
        const read = await status.read(account.id, now);
        const text = input.serialize(200, statusView(account, read, { now, site }));
        if (kept.size >= MOST_KEPT) kept.clear();
        kept.set(account.id, { account, revision: read.revision, now, text });
        return json(text);
      },
    }),
  ];
}

const json = (text: string) => ({ status: 200, type: 'application/json; charset=utf-8', body: text });
