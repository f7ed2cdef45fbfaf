// The pages of operators: what they show of a service in use, and what operators do there.
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { operatorProblem } from '../../../shared/messages/operator-problems.js';
import { startBuildHost } from '../../harness/build-host.js';
import { checkPage } from '../../harness/console/check-page.js';
import { dangerButton } from '../../harness/console/danger.js';
import { type OpenedConsole, openConsole } from '../../harness/console/open-console.js';
import { staysOpen, storeSecret } from '../../harness/console/shown-once.js';
import { type Harness, PASSWORD } from '../../harness/harness.js';
import { addHost, DAY, HOUR, order, pay, putM4, rent } from '../../harness/renting.js';
import { until } from '../../harness/until.js';
import { idle } from '../../harness/upgrades.js';

/** An operator who is in no organization. */
async function openOperator(t: Test, packages = join(t.testdir(), 'packages')): Promise<OpenedConsole> {
  const c = await openConsole(t, {
    operator: true,
    harness: { limits: { operator_session_idle_ms: 10 * DAY, session_confirm_ms: 15 * 60_000 }, packages },
  });
  await c.h.store.run('DELETE FROM members', {});
  return c;
}

async function describe(h: Harness, hostId: string, name: string, changes: object = {}): Promise<void> {
  await h.store.run('UPDATE hosts SET name = :name, agent_version = :version WHERE host_id = :hostId', {
    hostId,
    name,
    version: '0.4.2',
  });
  const fields = Object.entries(changes);
  for (const [column, value] of fields) {
    await h.store.run(`UPDATE hosts SET ${column} = :value WHERE host_id = :hostId`, {
      hostId,
      value: typeof value === 'object' ? JSON.stringify(value) : value,
    });
  }
}

const findings = [
  { check: 'filevault', status: 'failed', found: 'FileVault is on.', fix: 'sudo fdesetup disable' },
  {
    check: 'sleep',
    status: 'warning',
    found: 'The Mac sleeps after 10 minutes.',
    fix: 'sudo pmset -a sleep 0',
  },
  { check: 'disk', status: 'ok', found: '412 GiB are free.', fix: null },
];

/** A fleet of four hosts with Macs of two organizations. */
async function fleet(h: Harness) {
  const first = await addHost(h, 2, { shared: true });
  const [rental = ''] = await rent(h, first);
  await rent(h, first, {}, h.other.key);
  const second = await addHost(h, 2);
  const third = await addHost(h, 2);
  const away = await addHost(h, 1);
  await describe(h, first.hostId, 'mini-01', { labels: { rack: '4' } });
  await describe(h, second.hostId, 'mini-02', { health: { checked_at: h.clock.now(), findings } });
  await describe(h, third.hostId, 'mini-03');
  await describe(h, away.hostId, 'studio-01');
  await h.hosts.change(third.hostId, 'cordon', 'ada@example.com');
  await away.disconnect();
  return { first, second, third, away, rental };
}

t.test('fleet and host', async (t) => {
  const c = await openOperator(t);
  const { page, h } = c;
  await c.open('//operator');
  await page.getByText('No host yet').waitFor();
  await checkPage(t, c, 'operator-fleet-empty');
  const { first, second, third } = await fleet(h);
  const reason = operatorProblem('few_slots', { free: 0, total: 7, used: 7, unsellable: 0 });
  await h.store.run(
    `INSERT INTO operator_problems (kind, subject, name, message, reason, seen_at, begun_at, times)
     VALUES ('capacity.low', 'm4', 'm4', :message, :reason, :now, :now, 1)`,
    { message: reason.text, reason: JSON.stringify(reason), now: h.clock.now() },
  );
  await c.open('//operator');
  await page.getByRole('link', { name: 'mini-01' }).waitFor();
  const problems = page.getByRole('table', { name: 'Current problems' });
  await problems.getByRole('columnheader', { name: 'Host, tier or payment' }).waitFor();
  t.match(await problems.getByRole('link', { name: 'Tier m4' }).getAttribute('href'), /\/operator\/tiers$/);
  await checkPage(t, c, 'operator-fleet');

  // Several hosts at once; the list follows by itself.
  await page.getByRole('checkbox', { name: 'Select mini-01' }).click();
  await page.getByRole('checkbox', { name: 'Select mini-02' }).click();
  await page.getByText('2 hosts selected').waitFor();
  await page.getByRole('button', { name: 'Drain', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill('new switch');
  await dialog.getByRole('button', { name: 'Drain' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('new switch').first().waitFor();
  t.match(await h.hosts.get(first.hostId), {
    status: 'draining',
    reason: 'new switch',
    statusBy: 'ada@example.com',
  });
  await h.hosts.change(third.hostId, 'undrain', 'eve');
  await page.getByRole('row', { name: /mini-03.* active/ }).waitFor();

  await page.getByRole('searchbox', { name: 'Name, label or version' }).fill('rack=4');
  await page.getByText('1 shown').waitFor();
  t.match(page.url(), /q=rack%3D4/);

  await page.getByRole('link', { name: 'mini-01' }).click();
  await page.getByRole('heading', { level: 1, name: 'mini-01' }).waitFor();
  await page.getByText('Drained: no builds are running here.').waitFor();
  await checkPage(t, c, 'operator-host');
  await c.open(`//operator/hosts/${second.hostId}`);
  await page.getByText('sudo fdesetup disable').waitFor();
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByLabel('Labels').fill('rack');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog').locator('[aria-invalid=true]').waitFor();
  t.equal(await page.getByLabel('Labels').inputValue(), 'rack', 'what was typed stays');
  await page.getByLabel('Labels').fill('rack=7');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByText('rack=7').waitFor();
  await c.open('//operator/hosts/host_none');
  await page.getByText('No host has the id or name').waitFor();
});

t.test('a host is removed after its name and the password were entered', async (t) => {
  const c = await openOperator(t);
  const { page, h } = c;
  const { first, rental } = await fleet(h);
  await h.clock.advance(HOUR);
  await c.open(`//operator/hosts/${first.hostId}`);
  await (await dangerButton(t, page, 'Remove')).click();
  const dialog = page.getByRole('dialog', { name: /mini-01/ });
  const confirm = page.getByRole('dialog', { name: 'Confirm that it is you' });
  await dialog.getByText(rental).waitFor();
  const remove = dialog.getByRole('button', { name: 'Remove' });
  const asks = async () => {
    await page.getByRole('button', { name: /^(Remove|제거)$/ }).click();
    await page.getByRole('dialog').waitFor();
  };
  await dialog.getByLabel('Type mini-01 to confirm').fill('mini-01');
  await remove.click();
  await confirm.getByLabel('Your password').fill('wrong');
  await confirm.getByRole('button', { name: 'Continue' }).click();
  await confirm.getByText('The password is wrong.').waitFor();
  await page.keyboard.press('Escape');
  await confirm.waitFor({ state: 'detached' });
  t.equal(await dialog.getByLabel('Type mini-01 to confirm').inputValue(), 'mini-01', 'Escape closes one dialog');
  await remove.click();
  await confirm.getByLabel('Your password').fill(PASSWORD);
  await confirm.getByRole('button', { name: 'Continue' }).click();
  // The dialog below is hidden while the other one is open, too.
  await until(async () => (await h.hosts.get(first.hostId)).status === 'removed', 'the host is removed');
  await dialog.waitFor({ state: 'detached' });
  const other = (await h.hosts.list()).find(({ name }) => name === 'mini-02');
  await c.open(`//operator/hosts/${other?.hostId}`);
  await checkPage(t, c, 'operator-host-remove', { prepare: asks });
});

t.test('the filter by tier knows the tiers when it is opened, and in an address that has one', async (t) => {
  const c = await openOperator(t);
  const { page, h } = c;
  await fleet(h);
  await c.open('//operator');
  await page.getByRole('link', { name: 'studio-01' }).waitFor();
  await page.getByRole('combobox', { name: 'Tier: All tiers' }).click();
  await page.getByRole('option', { name: 'm4', exact: false }).click();
  await page.waitForURL(/tier=m4/);
  await page.getByRole('link', { name: 'studio-01' }).waitFor();
  await page.reload();
  await page.getByRole('combobox', { name: /^Tier: m4 · / }).waitFor();
  t.same(c.complaints, []);
});

t.test('calendar and waitlist', async (t) => {
  const c = await openOperator(t);
  const { page, h } = c;
  await c.open('//operator/calendar');
  await page.getByText('No slots to show').waitFor();
  await c.open('//operator/waitlist');
  await page.getByText('Nobody is waiting').waitFor();
  await checkPage(t, c, 'operator-waitlist-empty');
  await fleet(h);
  const later = await order(h, { start: new Date(h.clock.now() + 3 * DAY).toISOString(), hours: 72 });
  await pay(h, later.order_no);
  await order(h);
  await c.open('//operator/calendar');
  await page.getByText('mini-01 · 1').waitFor();
  await checkPage(t, c, 'operator-calendar');
  await page.getByRole('button', { name: 'Later' }).click();
  await page.waitForURL(/from=/);
  await h.store.run(
    `INSERT INTO waitlist (entry_id, seq, account_id, tier, units, status, created_at)
     VALUES ('wl_1', 1, :org, 'm4', 2, 'waiting', :now)`,
    { org: h.other.id, now: h.clock.now() },
  );
  await c.open('//operator/waitlist');
  await page.getByRole('link', { name: 'Other Mill' }).waitFor();
  await checkPage(t, c, 'operator-waitlist');
});

t.test('throughput', async (t) => {
  const c = await openOperator(t);
  const { page, h } = c;
  await c.open('//operator/throughput');
  await page.getByText('No builds started in this period').first().waitFor();
  const host = await startBuildHost(h, { macs: 1, hours: 48 });
  for (let i = 0; i < 6; i++) {
    const made = await h.call('POST', '/builds', { body: { repo: 'a/b', script: 'make' } });
    await h.pass(i * 40_000);
    await host.start();
    await h.clock.advance((10 + 7 * i) * 60_000);
    await host.finish(made.json().id, i % 3 === 2 ? { outcome: 'exited', exit_code: 1 } : {});
    if (i > 0) continue;
    // A wait of 0 has no bar.
    await c.open('//operator/throughput');
    await page.getByText('Half of the builds started within a second.').waitFor();
    await page.getByText('95 % of the builds started within a second.').waitFor();
    await page.getByText('< 1 s').waitFor();
  }
  await c.open('//operator/throughput');
  await page.getByText('Builds by start').first().waitFor();
  await checkPage(t, c, 'operator-throughput');
});

t.test('tiers, images and enrollment', async (t) => {
  const c = await openOperator(t);
  const { page, h } = c;
  await c.open('//operator/tiers');
  await page.getByText('No tier yet').waitFor();
  await page.getByRole('button', { name: 'Add a tier' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Id').fill('m4');
  await dialog.getByLabel('Name').fill('Mac mini M4');
  await dialog.getByLabel('Price of 24 hours').fill('12000');
  await dialog.getByLabel('Image').fill('ghcr.io/apple-press/macos:26');
  await dialog.getByLabel('Chip').fill('Apple M4');
  await dialog.getByRole('button', { name: 'Add a tier' }).click();
  await page.getByText('₩12,000 for 24 hours').waitFor();
  const host = await addHost(h, 2);
  await describe(h, host.hostId, 'mini-01');
  await host.images({ image: 'ghcr.io/apple-press/macos:26', state: 'pulling', percent: 40 } as never);
  await page.getByText('fetching, 40 %').waitFor();
  await checkPage(t, c, 'operator-tiers');
  const edit = async () => {
    await page.getByRole('button', { name: /Edit Mac mini M4|Mac mini M4 수정/ }).click();
    await page.getByRole('dialog').waitFor();
  };
  await checkPage(t, c, 'operator-tier-dialog', { prepare: edit });
  await page.getByRole('dialog').getByLabel('Name').fill('Mac mini M4, 2024');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByText('Mac mini M4, 2024').waitFor();

  await h.hosts.requestApproval(
    {
      credential_hash: 'a'.repeat(64),
      hostname: 'studio-02',
      os: 'macOS 26.1',
      chip: 'Apple M4 Max',
      agent_version: '0.4.2',
    },
    '192.0.2.7',
  );
  await c.open('//operator/enrollment');
  await page.getByText('studio-02').waitFor();
  await checkPage(t, c, 'operator-enrollment');
  await page.getByRole('button', { name: 'Create a token' }).click();
  await dialog.getByRole('radio', { name: 'several hosts' }).click();
  await dialog.getByRole('button', { name: 'Create a token' }).click();
  await dialog.getByText('Token created').waitFor();
  t.match(await dialog.textContent(), /install\/host-agent \| sudo sh -s -- --token cme_/);
  await staysOpen(t, page);
  await storeSecret(dialog);
  await page.getByText('0 of 10').waitFor();
  await page.getByRole('button', { name: 'Approve' }).click();
  await dialog.getByText('Apple M4 Max').waitFor();
  await dialog.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('No machines are waiting').waitFor();
});

t.test('organizations, orders, refunds, payments and the audit log', async (t) => {
  const c = await openOperator(t);
  const { page, h } = c;
  await c.open('//operator/payments');
  await page.getByText('Everything is settled').waitFor();
  await checkPage(t, c, 'operator-payments-empty');
  const host = await addHost(h, 2);
  await describe(h, host.hostId, 'mini-01');
  await rent(h, host);
  await h.signIn('owner', { email: 'grace@example.com' });
  await c.open('//operator/organizations');
  await checkPage(t, c, 'operator-organizations');
  await page.getByRole('link', { name: 'Apple Press' }).click();
  await page.getByText('grace@example.com').waitFor();
  await checkPage(t, c, 'operator-organization');
  await page.getByRole('button', { name: 'Change limits' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Files of uploads').fill('5');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('0 bytes / 5.0 GiB').waitFor();

  await c.open('//operator/organizations');
  await page.getByRole('button', { name: 'Create an organization' }).click();
  await dialog.getByLabel('Name', { exact: true }).fill('Third Mill');
  await dialog.getByRole('button', { name: 'Create an organization' }).click();
  await page.getByText('Invite the first owner').waitFor();
  await page.getByRole('button', { name: 'Invite' }).click();
  await dialog.getByLabel('E-mail').fill('lin@example.com');
  await dialog.getByRole('button', { name: 'Invite' }).click();
  await dialog.getByText('Invitation created').waitFor();
  t.match(await dialog.textContent(), /\/invite#/);
  await staysOpen(t, page);
  await storeSecret(dialog);

  await c.open('//operator/orders');
  await checkPage(t, c, 'operator-orders');
  await page.getByRole('link', { name: /^RT-/ }).click();
  await page.getByText('Nothing has been refunded.').waitFor();
  await dangerButton(t, page, 'Refund…');
  const refund = async () => {
    await page.getByRole('button', { name: /^(Refund…|환불…)$/ }).click();
    await page
      .getByRole('dialog')
      .getByText(/₩10,000|10,000/)
      .first()
      .waitFor();
  };
  await checkPage(t, c, 'operator-refund', { prepare: refund });
  const [{ order_no }] = (await h.call('GET', '/orders')).json().orders;
  await dialog.getByText(/^Mac 1 \(rt_\w+\) with everything on it$/).waitFor();
  await dialog.getByLabel(`Type ${order_no} to confirm`).fill(order_no);
  await dialog.getByRole('button', { name: 'Refund ₩10,000' }).click();
  await page.getByText('refunded by an operator').waitFor();
  await h.store.run(
    `UPDATE payment_cancellations SET status = 'failed', refusals = 5, next_attempt_at = NULL, last_error = 'CARD_EXPIRED'`,
    {},
  );
  await h.store.run(
    `INSERT INTO manual_settlements (id, kind, order_no, account_id, amount_won, created_at)
     SELECT cancellation_id, 'refused', order_no, account_id, amount_won, created_at FROM payment_cancellations`,
    {},
  );
  await c.open('//operator/payments');
  await page.getByText('refused by the provider').waitFor();
  for (const insert of [
    `payments (account_id, order_no, kind, provider, status, amount_won, cancelled_won, created_at, updated_at)
     SELECT account_id, order_no, 'order', 'local', 'paid', amount_won, amount_won + 1, created_at, created_at`,
    `manual_settlements (id, kind, order_no, account_id, amount_won, created_at)
     SELECT order_no, 'over_returned', order_no, account_id, 1, created_at`,
  ]) {
    await h.store.run(`INSERT INTO ${insert} FROM orders WHERE order_no = :order_no`, { order_no });
  }
  await c.open('//operator/payments');
  await page.getByText('more was returned than was charged').waitFor();
  await page.getByText('₩10,001 returned').waitFor();
  await checkPage(t, c, 'operator-payments');
  await c.open(`//operator/orders/${order_no}`);
  const byHand = page.getByRole('table', { name: 'Settled by hand' });
  t.equal(await byHand.getByText('not settled yet').count(), 2);
  await checkPage(t, c, 'operator-order-unsettled');
  for (const left of [1, 0]) {
    // The first one is settled on the order's page.
    if (left === 0) await c.open('//operator/payments');
    await page.getByRole('button', { name: 'Mark as settled' }).first().click();
    const settle = page.getByRole('dialog');
    await settle.getByLabel('How it was settled').fill('by bank transfer');
    await settle.getByRole('button', { name: 'Mark as settled' }).click();
    await settle.waitFor({ state: 'detached' });
    if (left === 0) await page.getByText('Everything is settled').waitFor();
  }
  await c.open(`//operator/orders/${order_no}`);
  await byHand.getByText('by bank transfer').nth(1).waitFor();
  await page.getByText('none: settled by hand').waitFor();
  t.equal(await byHand.getByText('ada@example.com').count(), 2, 'who has settled it');
  await checkPage(t, c, 'operator-order-settled');
  t.same(await h.store.all('SELECT DISTINCT note, settled_by FROM manual_settlements'), [
    { note: 'by bank transfer', settled_by: 'ada@example.com' },
  ]);
  await c.open('//operator/audit');
  await page.getByText('order.refund').waitFor();
  await checkPage(t, c, 'operator-audit');
  await page.getByRole('searchbox', { name: 'Action, e.g. order' }).fill('order.refund');
  await page.getByText('1 shown').waitFor();
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Export as CSV' }).click();
  t.equal((await download).suggestedFilename(), 'audit.csv');
});

t.test('Macs are granted and ended; an organization is suspended, its payments blocked', async (t) => {
  const c = await openOperator(t);
  const { page, h } = c;
  const host = await addHost(h, 1);
  const dialog = page.getByRole('dialog');
  const confirm = async (name: string) => {
    await dialog.getByRole('button', { name, exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
  };
  await c.open(`//operator/organizations/${h.org.orgId}`);
  await page.getByText('This organization has no Mac.').waitFor();
  await page.getByRole('button', { name: 'Grant Macs' }).click();
  await dialog.getByLabel('Macs').fill('2');
  await dialog.getByRole('button', { name: 'Grant Macs' }).click();
  await dialog.getByText('Fewer than 2 slots of the tier m4 are free').waitFor();
  t.equal(await dialog.getByLabel('Macs').inputValue(), '2', 'what was typed stays');
  await dialog.getByLabel('Macs').fill('1');
  await confirm('Grant Macs');
  await page.getByRole('row', { name: /preparing/ }).waitFor();
  const [rental = ''] = await host.rentalIds();
  await host.mac(rental, 'ready');
  await h.clock.advance(1_000);
  await page.getByRole('row', { name: new RegExp(`${rental}.* ready`) }).waitFor();
  await page.getByRole('button', { name: 'End', exact: true }).click();
  await dialog.getByText('The Mac and everything on it').waitFor();
  await dialog.getByLabel('Type Mac 1 to confirm').fill('Mac 1');
  await confirm('End');
  await page.getByText('This organization has no Mac.').waitFor();

  await (await dangerButton(t, page, 'Block payments')).click();
  await confirm('Block payments');
  await page.getByRole('button', { name: 'Unblock payments' }).waitFor();
  t.equal((await h.organizations.find(h.org.orgId)).paymentsBlocked, true);
  await (await dangerButton(t, page, 'Suspend')).click();
  await dialog.getByText('Requests of all keys and people of the organization').waitFor();
  await dialog.getByLabel(`Type ${c.slug} to confirm`).fill(c.slug);
  await confirm('Suspend');
  await page.getByText('suspended').first().waitFor();
  t.equal((await h.call('GET', '/status')).statusCode, 403, 'its keys are refused');
  await page.getByRole('button', { name: 'Resume' }).click();
  await confirm('Resume');
  await page.getByRole('button', { name: 'Suspend' }).waitFor();
  t.equal((await h.call('GET', '/status')).statusCode, 200);
});

t.test('an upgrade begins and is stopped; an image is fetched', async (t) => {
  const packages = join(t.testdir(), 'packages');
  const c = await openOperator(t, packages);
  const { page, h } = c;
  const image = 'ghcr.io/apple-press/macos:26';
  await putM4(h, { image });
  const host = await addHost(h, 1);
  await describe(h, host.hostId, 'mini-01');
  await h.hosts.upgradeReported(host.hostId, idle);
  const dialog = page.getByRole('dialog');
  const upgrade = async () => {
    await c.open(`//operator/hosts/${host.hostId}`);
    await page.getByRole('button', { name: 'Upgrade' }).click();
  };
  await upgrade();
  await dialog.getByText('The service has no packages of the agent').first().waitFor();
  mkdirSync(packages);
  const archive = 'cidermill-host-agent-9.9.0-darwin-arm64.tar.gz';
  writeFileSync(join(packages, archive), 'agent');
  const sha256 = createHash('sha256').update('agent').digest('hex');
  writeFileSync(join(packages, 'SHA256SUMS'), `${sha256}  ${archive}\n`);
  await upgrade();
  await dialog.getByText('9.9.0 (newest)').waitFor();
  await dialog.getByRole('button', { name: 'Upgrade' }).click();
  await dialog.waitFor({ state: 'detached' });
  await c.open('//operator');
  await page.getByText('Upgrade of agents to 9.9.0').first().waitFor();
  await checkPage(t, c, 'operator-upgrade');
  await page.getByRole('button', { name: 'Stop the upgrade' }).click();
  await dialog.getByRole('button', { name: 'Stop the upgrade' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Upgrade of agents to 9.9.0').waitFor({ state: 'detached' });

  await c.open('//operator/tiers');
  await page.getByRole('button', { name: 'Fetch on hosts' }).click();
  await dialog.getByRole('button', { name: 'Fetch on hosts' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page
    .getByText(/waits for its turn|^fetching$/)
    .first()
    .waitFor();
});

t.test('people who are not operators find nothing there', async (t) => {
  const c = await openConsole(t, { role: 'owner' });
  await c.open('//operator');
  await c.page.getByRole('heading', { name: 'Page not found' }).waitFor();
  t.equal(await c.page.getByRole('link', { name: 'Tiers and images' }).count(), 0);
});
