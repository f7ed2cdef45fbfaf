// The pages of webhooks and their deliveries.
import t from 'tap';
import { checkPage } from '../../harness/console/check-page.js';
import { dangerButton } from '../../harness/console/danger.js';
import { openConsole } from '../../harness/console/open-console.js';
import { staysOpen, storeSecret } from '../../harness/console/shown-once.js';
import { startReceiver } from '../../harness/receiver.js';

t.test('a webhook is created, tested, changed and deleted', async (t) => {
  const c = await openConsole(t, { harness: { receivers: true } });
  const { page, h } = c;
  const receiver = await startReceiver(t);
  await c.open('/webhooks');
  await checkPage(t, c, 'webhooks-empty');

  const openDialog = () => page.getByRole('button', { name: /^(New webhook|웹훅 추가)$/ }).click();
  await checkPage(t, c, 'webhooks-create', { prepare: openDialog });
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Address').fill('https://10.0.0.1/hook');
  await dialog.getByText('build.started').click();
  await dialog.getByRole('button', { name: 'Create and test' }).click();
  await dialog.getByText('Must not resolve to a private or special-purpose address.').waitFor();
  t.equal(await dialog.getByLabel('Address').inputValue(), 'https://10.0.0.1/hook');
  await dialog.getByLabel('Address').fill(receiver.url);
  await dialog.getByRole('button', { name: 'Create and test' }).click();
  await dialog.getByText('Events are sent from now on.').waitFor();
  const secret = await dialog.locator('[data-secret]').innerText();
  t.match(secret, /whsec_/);
  await staysOpen(t, page);
  await storeSecret(dialog);

  await page.waitForURL(/\/webhooks\/wh_/);
  await page.getByText('No deliveries yet').waitFor();
  const [webhook] = (await h.call('GET', '/webhooks')).json().webhooks;
  t.ok(webhook.events.includes('build.started'));

  // A delivery appears by itself, and can be looked at.
  await page.getByText('Live', { exact: true }).waitFor();
  await h.call('PATCH', `/webhooks/${webhook.id}`, { body: { events: ['build.cancelled'] } });
  const { id } = (
    await h.call('POST', '/builds', {
      body: { repo: 'owner/name', script: 'make', queue_until_rental: true },
    })
  ).json();
  await h.call('POST', `/builds/${id}/cancel`);
  await page.getByRole('rowheader', { name: 'build.cancelled' }).waitFor();
  await page.getByText('delivered', { exact: true }).first().waitFor();
  await page.getByRole('button', { name: 'Show the delivery of build.cancelled' }).click();
  await dialog.getByText('x-svc-signature', { exact: false }).waitFor();
  await dialog.getByRole('tab', { name: 'Response 200' }).click();
  await dialog.getByText('(empty)').waitFor();
  await dialog.getByRole('button', { name: 'Send again' }).click();
  await page.getByText('The delivery is sent again now.').waitFor();

  await page.getByRole('button', { name: 'New secret' }).click();
  await dialog.getByRole('button', { name: 'New secret' }).click();
  const second = await dialog.locator('[data-secret]').innerText();
  t.not(second, secret);
  await staysOpen(t, page);
  // Copied by hand.
  const stored = dialog.getByRole('button', { name: 'I have stored it' });
  t.equal(await stored.getAttribute('aria-disabled'), 'true');
  await page.evaluate(`getSelection().selectAllChildren(document.querySelector('[data-secret]'))`);
  await page.keyboard.press('Control+C');
  await dialog.getByText('Copied').waitFor();
  await stored.click();

  // An event stays that the person does not touch.
  const lasting = ['rental.unavailable', 'rental.available'];
  await h.call('PATCH', `/webhooks/${webhook.id}`, { body: { events: lasting } });
  await page.getByText('rental.available').waitFor();
  await page.getByRole('button', { name: 'Change', exact: true }).click();
  await dialog.getByText('order.paid').click();
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  const changed = (await h.call('GET', '/webhooks')).json().webhooks[0].events;
  t.same(changed.sort(), [...lasting, 'order.paid'].sort());

  await page.getByRole('button', { name: 'Disable' }).click();
  await dialog.getByText('Deliveries that are waiting for another attempt.').waitFor();
  await dialog.getByRole('button', { name: 'Disable' }).click();
  await page.getByText('disabled', { exact: true }).waitFor();
  receiver.answer = () => ({ status: 500 });
  await page.getByRole('button', { name: 'Test and enable' }).click();
  await page.getByText('The test failed', { exact: false }).first().waitFor();

  await (await dangerButton(t, page, 'Delete')).click();
  await dialog.getByText('The list of past deliveries').waitFor();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.waitForURL(/\/webhooks$/);
  await page.getByText('No webhooks yet').waitFor();
  t.same(c.complaints, []);
});

t.test('full lists: webhooks, and deliveries that were delivered, wait and failed', async (t) => {
  const c = await openConsole(t, { harness: { receivers: true } });
  const { page, h } = c;
  const receiver = await startReceiver(t, ({ body }) =>
    body.event_type === 'build.cancelled' ? { status: 503, body: '{"error":"maintenance"}' } : { status: 204 },
  );
  const add = async (path: string, events: string[]) =>
    (await h.call('POST', '/webhooks', { body: { url: `${receiver.url}${path}`, events } })).json().id;
  const id = await add('', ['build.queued', 'build.cancelled']);
  await add('/chat', ['build.failed', 'build.stalled']);
  await h.call('PATCH', `/webhooks/${await add('/old', ['build.succeeded'])}`, {
    body: { status: 'disabled' },
  });
  const body = { repo: 'owner/name', script: 'make', queue_until_rental: true };
  for (let n = 0; n < 4; n++) {
    const build = (await h.call('POST', '/builds', { body })).json();
    await h.call('POST', `/builds/${build.id}/cancel`);
    if (n === 0) await h.pass(6 * 3_600_000);
  }
  await c.open('/webhooks');
  await checkPage(t, c, 'webhooks');
  await page.getByRole('link', { name: /hook$/ }).click();
  await page.getByRole('heading', { name: 'Deliveries' }).waitFor();
  await page.getByText('next attempt in').first().waitFor();
  await checkPage(t, c, 'webhook');
  await page.getByRole('combobox', { name: /Status of the deliveries/ }).click();
  await page.getByRole('option', { name: 'delivered' }).click();
  await page.waitForURL(/status=delivered/);
  await page.getByText('4 shown').waitFor();
  await page.goBack();
  const showDelivery = () =>
    page
      .getByRole('button', { name: /(Show the delivery of build.cancelled|build.cancelled 전송)/ })
      .first()
      .click();
  await c.open(`/webhooks/${id}`);
  await checkPage(t, c, 'webhook-delivery', { prepare: showDelivery });
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Send several again…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click();
  await page.getByText(/(\d+ deliveries are|The delivery is) sent again\.|no deliveries to send again/).waitFor();
});
