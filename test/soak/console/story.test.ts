// The story of a new team, in browsers against the real processes, from a service that nobody has used: its first owner,
// a key, a host, a colleague, a rented Mac, builds from the command line, an extension, a reset, a webhook, and credit.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { type OpenedPage, openPage } from '../../harness/console/browser.js';
import { storeSecret } from '../../harness/console/shown-once.js';
import { startReceiver } from '../../harness/receiver.js';
import { tempFolder } from '../../host-agent/runner/rig.js';
import { type NewService, startNewService } from './new-service.js';

const PASSWORD = 'correct horse battery';
const ORG = '/o/apple-press';
const FAILING = `echo "App/Cart.swift:12:9: error: cannot find 'totl' in scope"; exit 65`;

interface Story {
  readonly t: Test;
  readonly service: NewService;
  /** Owner, and operator of the service. */
  readonly ada: Page;
  /** Developer; sees nothing before the invitation. */
  readonly bob: Page;
  readonly home: string;
}

t.test('the story of a new team', async (t) => {
  const service = await startNewService(t);
  const people = [
    await openPage(t, { width: 1_280, motion: true }),
    await openPage(t, { width: 1_280, motion: true }),
  ] as const;
  const story = { t, service, home: tempFolder(t), ada: people[0].page, bob: people[1].page };

  await firstOwner(story);
  const commands = await firstKey(story);
  await firstHost(story);
  await invitation(story);
  await rent(story);
  await firstBuild(story, commands);
  await failure(story, commands);
  await extend(story);
  await reset(story);
  await webhook(story);
  await credit(story);
  await unpaid(story);
  people.forEach((opened: OpenedPage) => {
    t.same(opened.complaints, []);
    t.same([...opened.origins], [service.siteUrl]);
  });
});

const go = ({ service }: Story, page: Page, path: string) => page.goto(service.siteUrl + path);
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const menu = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true });
const dialogOf = (page: Page) => page.locator('dialog[open], [role=dialog]:not(dialog)');

/** Ada opens the link that the service printed, makes the organization and its owner, and is signed in. */
async function firstOwner({ service, ada, t }: Story) {
  await ada.goto(service.firstOwner);
  await ada.getByLabel('Organization').fill('Apple Press');
  await ada.getByLabel('Your name').fill('Ada');
  await ada.getByLabel('E-mail').fill('ada@example.com');
  await ada.getByLabel('Password').fill(PASSWORD);
  await ada.keyboard.press('Enter');
  await ada.waitForURL(`**${ORG}`);
  await ada.getByRole('heading', { name: 'First steps' }).waitFor();
  t.notOk(ada.url().includes('#'), 'the token is out of the address');
}

/** Nothing can be rented yet; the page leads Ada, who operates the service, to what is missing. */
async function firstHost({ service, ada }: Story) {
  await menu(ada, 'Rent a Mac').click();
  await ada.getByRole('link', { name: 'Add a tier' }).click();
  await button(ada, 'Add a tier').click();
  const dialog = dialogOf(ada);
  await dialog.getByLabel('Id').fill('mini');
  await dialog.getByLabel('Name', { exact: true }).fill('Mac mini');
  await dialog.getByRole('textbox', { name: /^Price/ }).fill('10000');
  await dialog.getByRole('button', { name: 'Add a tier' }).click();
  await dialog.waitFor({ state: 'detached' });

  await menu(ada, 'Enrollment').click();
  await button(ada, 'Create a token').click();
  await dialog.getByRole('combobox').click();
  await ada.getByRole('option', { name: 'Mac mini' }).click();
  await dialog.getByRole('textbox', { name: 'Slots' }).fill('4');
  await dialog.getByRole('button', { name: 'Create a token' }).click();
  const token = (await dialog.locator('[data-secret]').innerText()).split(/\s/).at(-1) ?? '';
  await storeSecret(dialogOf(ada));
  service.startHost(token);
  await menu(ada, 'Fleet').click();
  await ada.getByRole('rowheader').first().waitFor();
  await button(ada, /^Organization/).click();
  await ada.getByRole('menuitemradio', { name: 'Apple Press' }).click();
  await ada.getByRole('heading', { name: 'Overview' }).waitFor();
}

/** Returns the commands that the page shows, with the key. */
async function firstKey({ ada, t }: Story): Promise<string> {
  await button(ada, 'Create the key').click();
  await ada.locator('[data-secret]').waitFor();
  const commands = await ada.getByRole('region', { name: 'Commands of the first build' }).innerText();
  t.match(commands, /CIDERMILL_API_KEY=cm_\w{20,}/);
  await storeSecret(ada);
  return commands;
}

async function invitation(story: Story) {
  const { ada, bob } = story;
  await menu(ada, 'Members').click();
  await button(ada, 'Invite a person').click();
  const dialog = dialogOf(ada);
  await dialog.getByLabel('E-mail').fill('bob@example.com');
  await button(ada, 'Create the invitation').click();
  const link = (await dialog.locator('[data-secret]').innerText()).split(/\s/).at(-1) ?? '';
  await storeSecret(dialogOf(ada));
  await bob.goto(link);
  await bob.getByLabel('Your name').fill('Bob');
  await bob.getByLabel('Password').fill(PASSWORD);
  await bob.keyboard.press('Enter');
  await bob.waitForURL(`**${ORG}`);
  await bob.getByRole('heading', { name: 'Overview' }).waitFor();
}

/** The person agrees; the card is declined, then the window closed, then it is paid. */
async function pay(page: Page, { trouble = false } = {}) {
  for (const name of ['terms', 'withdrawal']) await page.locator(`input[name=${name}]`).check();
  const attempt = async (outcome: string) => {
    await page.getByLabel(outcome).check();
    await button(page, /^Pay ₩/).click();
  };
  const problem = page.locator('form [role=alert]');
  if (trouble) {
    await attempt('The card is declined');
    await problem.getByText('was declined').waitFor();
    await attempt('The payer closes the window');
    await problem.getByText('was not finished').waitFor();
  }
  await attempt('The payment succeeds');
}

async function rent(story: Story) {
  const { ada, t } = story;
  await menu(ada, 'Rent a Mac').click();
  await ada.getByText('2 available now').waitFor();
  t.equal(await ada.getByText(/^0 (GB|cores)$/).count(), 0, 'what the operator left out is not shown');
  await button(ada, 'Order and go to payment').click();
  await ada.getByRole('heading', { name: 'Rent 1 Mac' }).waitFor();
  await pay(ada, { trouble: true });
  await ada.locator('main header').getByText('ready', { exact: true }).waitFor();
}

const run = promisify(execFile);

/** Runs the commands of the page as they stand, in a new shell of a person who has installed nothing. */
function shell({ home }: Story, commands: string) {
  const env = { PATH: process.env.PATH, HOME: home };
  return run('sh', ['-c', commands], { env, cwd: home, maxBuffer: 16 * 1_024 ** 2 });
}

/** Bob watches while Ada runs the commands; her checklist says how it went. */
async function firstBuild(story: Story, commands: string) {
  const { ada, bob, t } = story;
  await go(story, ada, ORG);
  await ada.getByText('Waiting for your first build').waitFor();
  await menu(bob, 'Builds').click();
  // The overview, which is shown until then, says so too, and its first row is a Mac.
  await bob.getByRole('heading', { name: 'Builds', exact: true }).waitFor();
  await bob.getByText('No builds yet').waitFor();
  const [{ stdout }] = await Promise.all([
    shell(story, commands),
    bob.getByRole('rowheader').getByRole('link').first().click(),
  ]);
  t.match(stdout, /^built on /m);
  await bob.getByText(/^built on /).waitFor();
  await bob.getByText('succeeded', { exact: true }).first().waitFor();
  await ada.getByText('Your first build succeeded.').waitFor();
}

async function failure(story: Story, commands: string) {
  const { bob, t } = story;
  const failing = commands.replace(
    /^cidermill build.*$/m,
    `cidermill build --script '${FAILING.replaceAll("'", `'\\''`)}'`,
  );
  await t.rejects(shell(story, failing.replace(/^mkdir.*$/m, 'cd first-build')), { code: 65 });
  await menu(bob, 'Builds').click();
  const row = bob.getByRole('row').filter({ hasText: 'failed' });
  await row.getByRole('link').first().click();
  await bob.getByRole('heading', { name: 'Why it failed' }).waitFor();
  await bob.getByText("cannot find 'totl' in scope").first().waitFor();
  await button(bob, /^Show line/)
    .first()
    .click();
  await bob.waitForURL(/#L\d+/);
}

async function openMac(story: Story) {
  const { ada } = story;
  await go(story, ada, `${ORG}/macs`);
  await ada.getByRole('rowheader').getByRole('link').first().click();
  await ada.getByRole('list', { name: 'Timeline' }).waitFor();
}

async function extend(story: Story) {
  const { ada } = story;
  await openMac(story);
  await button(ada, 'Extend…').click();
  await button(ada, 'Order and go to payment').click();
  await ada.getByRole('heading', { name: /^Extend the rental/ }).waitFor();
  await pay(ada);
  await ada.getByText('The rental continues until its new end.', { exact: false }).waitFor();
}

async function reset(story: Story) {
  const { ada } = story;
  await openMac(story);
  await button(ada, 'Reset…').click();
  const dialog = dialogOf(ada);
  await dialog.getByText('This will be lost:').waitFor();
  await button(ada, 'Reset the Mac').click();
  await dialog.waitFor({ state: 'detached' });
  await ada.getByRole('list', { name: 'Timeline' }).getByText('resetting').waitFor();
  await ada.locator('main header').getByText('ready', { exact: false }).waitFor();
}

async function webhook(story: Story) {
  const { ada, t } = story;
  const receiver = await startReceiver(t);
  await menu(ada, 'Webhooks').click();
  await button(ada, 'New webhook').click();
  const dialog = dialogOf(ada);
  await dialog.getByLabel('Address').fill(receiver.url);
  await button(ada, 'Create and test').click();
  const first = await dialog.locator('[data-secret]').innerText();
  await storeSecret(dialogOf(ada));
  await ada.waitForURL(/\/webhooks\/wh_/);
  await button(ada, 'New secret').click();
  await dialog.getByRole('button', { name: 'New secret' }).click();
  t.not(await dialog.locator('[data-secret]').innerText(), first);
  await storeSecret(dialogOf(ada));
  t.ok(receiver.got.length > 0, 'it was tested');
}

async function credit(story: Story) {
  const { ada } = story;
  await menu(ada, 'Billing').click();
  await ada.getByRole('textbox', { name: 'Amount in US dollars' }).fill('85');
  await button(ada, 'Continue to payment').click();
  await ada.waitForURL(/\/pay\/topup\//);
  await pay(ada, { trouble: true });
  await ada.getByRole('heading', { name: 'Credit added' }).waitFor();
  await ada.getByRole('link', { name: 'Go to billing' }).click();
  await button(ada, /^Withdraw/)
    .first()
    .click();
  const dialog = dialogOf(ada);
  await dialog.getByRole('button', { name: /^Withdraw ₩/ }).click();
  await ada.getByText('has been refunded', { exact: false }).waitFor();
}

/** An order that nobody pays expires, and says that nothing was charged. */
async function unpaid(story: Story) {
  const { ada, service } = story;
  await go(story, ada, `${ORG}/rent`);
  await button(ada, 'Order and go to payment').click();
  await ada.getByRole('heading', { name: 'Rent 1 Mac' }).waitFor();
  await service.advance(31 * 60_000);
  await ada.locator('main header').getByText('expired', { exact: true }).waitFor();
}
