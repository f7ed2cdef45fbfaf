// A service in use with something on every page, and names that are as long as they may be.
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { notify } from '../../../control-plane/access/app/notices.js';
import { keyLeaked } from '../../../control-plane/access/domain/leak-report.js';
import type { Address } from '../../../control-plane/console/addresses.js';
import type { OpenedConsole } from '../../harness/console/open-console.js';
import type { Harness } from '../../harness/harness.js';
import { addHost, order, putM4 } from '../../harness/renting.js';
import { studio } from './studio.js';

/** 40 characters that no space breaks, as many as the name of a Mac may have. */
const NAME = 'PullRequestsOfTheMobileTeamInSeoulNumber';

const long = {
  person: 'Wolfeschlegelsteinhausenbergerdorff Anastasia-Ekaterina',
  email: 'anastasia.wolfeschlegelsteinhausenbergerdorff@engineering.apple-press.example',
  file: 'DerivedData/Logs/Test/Run-ShopWithTheDarkTheme-2026.03.02_17-44-12-+0900.xcresult.tar.gz',
  ref: 'feature/SHOP-2184-show-the-delivery-date-in-the-cart-and-in-the-mail-of-the-receipt',
};

const consents = { terms: true, withdrawal: true };

/** Sends a request as the person of the console, which must be accepted. */
const person =
  ({ h, cookie }: OpenedConsole) =>
  async (method: string, path: string, body?: object) => {
    const answer = await h.callConsole(method, path, { key: null, headers: { cookie }, ...(body ? { body } : {}) });
    if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.body}`);
    return answer.json();
  };

async function called(h: Harness, method: string, path: string, body: object) {
  const answer = await h.call(method, path, { body });
  if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.body}`);
  return answer.json();
}

/** People, keys, secrets, webhooks with deliveries, notices, errors. */
async function organization(c: OpenedConsole, receiver: string) {
  const { h } = c;
  const send = person(c);
  const root = `/v1/organizations/${h.org.orgId}`;
  await h.clock.advance(1_000);
  const ios = (await send('POST', `${root}/workspaces`, { name: NAME })).id;
  await h.signIn('admin', { email: long.email });
  await h.store.run('UPDATE users SET name = :person WHERE email = :email', { person: long.person, email: long.email });
  await send('POST', `${root}/invites`, { email: `new.${long.email}`, role: 'developer', workspace_ids: [ios] });
  const cidrs = ['198.51.100.0/24', '2001:db8::/32'];
  await send('POST', `${root}/api-keys`, { name: NAME, levels: ['read', 'build', 'manage'], workspace_id: ios, cidrs });
  for (const name of ['MATCH_PASSWORD', 'APP_STORE_CONNECT_API_KEY_OF_THE_TEAM_IN_SEOUL_BASE64']) {
    await called(h, 'PUT', `/secrets/${name}`, { value: 'correct horse' });
  }
  const url = `${receiver}/${'a1b2c3d4'.repeat(8)}`;
  const webhook = await called(h, 'POST', '/webhooks', { url, events: ['build.queued', 'build.failed', 'order.paid'] });
  const says = keyLeaked({ name: NAME, prefix: 'cm_1a2b' }, 'https://code.example/apple-press/shop-ios/blob/main/.env');
  await h.store.transaction((tx) =>
    notify(tx, { clock: h.clock, wake: h.wake, mail: false }, { accountId: h.org.id, kind: 'key_leaked', says }),
  );
  await h.call('GET', '/builds/rb_none');
  await h.call('POST', '/builds', { body: { script: 'make', unknown_field_with_a_rather_long_name: true } });
  const topUp = async () => (await send('POST', `${root}/topups`, { usd: 200 })).order_id as string;
  const paid = await topUp();
  await send('POST', `${root}/topups/${paid}/pay`, { consents });
  return { webhook: webhook.id as string, paid, unpaid: await topUp() };
}

const findings = [
  { check: 'filevault', status: 'failed', found: 'FileVault is on.', fix: 'sudo fdesetup disable' },
  { check: 'sleep', status: 'warning', found: 'The Mac sleeps after 10 minutes.', fix: 'sudo pmset -a sleep 0' },
];

/** What operators see besides: a host that is not well, who waits, what is not settled, machines that want to join. */
async function operators(c: OpenedConsole, hostId: string): Promise<string> {
  const { h } = c;
  const health = JSON.stringify({ checked_at: h.clock.now(), findings });
  await h.store.run('UPDATE hosts SET health = :health WHERE host_id = :hostId', { hostId, health });
  await putM4(h, {
    tier: 'm4-max',
    name: 'Mac Studio M4 Max',
    image: 'ghcr.io/apple-press/macos-with-every-xcode:26.1',
  });
  await h.store.run(
    `INSERT INTO waitlist (entry_id, seq, account_id, tier, units, status, created_at)
     VALUES ('wl_1', 1, :org, 'm4-max', 2, 'waiting', :now)`,
    { org: h.other.id, now: h.clock.now() },
  );
  const { order_no } = await order(h);
  await person(c)('POST', `/v1/organizations/${h.org.orgId}/orders/${order_no}/pay`, { consents });
  await h.store.run(
    `INSERT INTO manual_settlements (id, kind, order_no, account_id, amount_won, created_at)
     SELECT order_no, 'over_returned', order_no, account_id, 1, created_at FROM orders WHERE order_no = :order_no`,
    { order_no },
  );
  await h.hosts.createEnrolment({ tier: 'm4', slots: 2 });
  const asks = { hostname: `${NAME}.local`, os: 'macOS 26.1', chip: 'Apple M4 Max', agent_version: '0.4.2' };
  await h.hosts.requestApproval({ credential_hash: 'a'.repeat(64), ...asks }, '192.0.2.7');
  return order_no;
}

async function artifact(h: Harness, buildId: string, name: string, size: number): Promise<void> {
  const bytes = Buffer.alloc(size, 'x');
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  await h.artifacts.store({ buildId, attempt: 1, name, bytes: size, sha256 }, Readable.from([bytes]));
}

export type EveryPage = Readonly<Record<Address, readonly string[]>>;

/**
 * Returns the paths of every address of the console; where tabs differ much, each of them.
 *
 * @param receiver address of webhooks
 */
export async function everyPage(c: OpenedConsole, receiver: string): Promise<EveryPage> {
  const { h, slug } = c;
  const { failed, running, unpaid, others } = await studio(h);
  await h.store.run(`UPDATE users SET name = :name WHERE email = 'ada@example.com'`, { name: long.person });
  for (const name of [long.file, 'reports/junit.xml']) await artifact(h, failed, name, 480_000);
  const [first] = (await h.call('GET', '/rentals')).json().rentals;
  await called(h, 'PATCH', `/rentals/${first.rental_id}`, { name: NAME });
  await called(h, 'POST', '/builds', { repo: 'apple-press/shop-ios', ref: long.ref, script: 'make' });
  await h.workers.idle();
  const about = await organization(c, receiver);
  const slow = await addHost(h, 1);
  await h.store.run('UPDATE hosts SET name = :name WHERE host_id = :id', { name: `${NAME}.local`, id: slow.hostId });
  const paid = await operators(c, slow.hostId);
  const { url: shared } = await person(c)('POST', `/v1/organizations/${h.org.orgId}/builds/${failed}/share`);
  const o = `/o/${slug}`;
  const build = `${o}/builds/${failed}`;
  return {
    '/': ['/'],
    '/sign-in': ['/sign-in'],
    '/sign-in/provider': ['/sign-in/provider?code=planted&state=planted'],
    '/first-owner': ['/first-owner#planted'],
    '/invite': ['/invite#planted'],
    '/reset-password': ['/reset-password', '/reset-password#planted'],
    '/settings': ['/settings'],
    '/builds/$build_id': [`/builds/${running}`],
    '/pay/topup/$order_id': [`/pay/topup/${about.unpaid}`],
    '/pay/$order_no': [`/pay/${unpaid}`, `/pay/${paid}`],
    '/shared/$token': [new URL(shared).pathname],
    '/o/$org': [o],
    '/o/$org/rent': [`${o}/rent?units=2&days=7`],
    '/o/$org/orders': [`${o}/orders`],
    '/o/$org/orders/$order_no': [`${o}/orders/${unpaid}`, `${o}/orders/${paid}`],
    '/o/$org/orders/$order_no/receipt': [`${o}/orders/${paid}/receipt`],
    '/o/$org/topups/$order_id/receipt': [`${o}/topups/${about.paid}/receipt`],
    '/o/$org/macs': [`${o}/macs`],
    '/o/$org/macs/$rental_id': [`${o}/macs/${first.rental_id}`],
    '/o/$org/builds': [`${o}/builds`],
    '/o/$org/builds/$build_id': [build, ...['artifacts', 'events', 'details'].map((tab) => `${build}?tab=${tab}`)],
    '/o/$org/queue': [`${o}/queue`],
    '/o/$org/secrets': [`${o}/secrets`],
    '/o/$org/webhooks': [`${o}/webhooks`],
    '/o/$org/webhooks/$webhook_id': [`${o}/webhooks/${about.webhook}`],
    '/o/$org/keys': [`${o}/keys?show=all`],
    '/o/$org/members': [`${o}/members`],
    '/o/$org/workspaces': [`${o}/workspaces`],
    '/o/$org/billing': ['', '?tab=orders', '?tab=ledger'].map((tab) => `${o}/billing${tab}`),
    '/o/$org/files': [`${o}/files?workspace=${h.org.workspaceId}`],
    '/o/$org/errors': [`${o}/errors`],
    '/o/$org/notices': [`${o}/notices`],
    '/o/$org/audit': [`${o}/audit`],
    '/operator': ['/operator'],
    '/operator/hosts/$host_id': [`/operator/hosts/${slow.hostId}`, `/operator/hosts/${others.hostId}`],
    '/operator/calendar': ['/operator/calendar'],
    '/operator/tiers': ['/operator/tiers'],
    '/operator/enrollment': ['/operator/enrollment'],
    '/operator/organizations': ['/operator/organizations'],
    '/operator/organizations/$org_id': [`/operator/organizations/${h.org.orgId}`],
    '/operator/orders': ['/operator/orders'],
    '/operator/orders/$order_no': [`/operator/orders/${paid}`],
    '/operator/waitlist': ['/operator/waitlist'],
    '/operator/payments': ['/operator/payments'],
    '/operator/audit': ['/operator/audit'],
    '/operator/throughput': ['/operator/throughput'],
  };
}
