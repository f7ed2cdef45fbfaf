// The documents that a program reads first: one for everybody, one for an account as it is now.
import type { StockedTier } from '../app/catalog.js';
import type { StartFacts, StartMac } from '../app/start.js';
import type { Caller, Level } from '../domain/caller.js';
import type { Limits } from '../domain/limits.js';
import { afterTheBuild, firstBuild, macChanges, mcpSetup, renting, secretsByCurl } from './start-sections.js';

/** What everybody may know. */
export function publicStart(siteUrl: string): string {
  const base = `${siteUrl}/api/v1`;
  return `# Cidermill

Rents dedicated Macs in 24-hour passes and runs builds on them. This page is for programs; a person starts at ${siteUrl}.

- base_url: ${base}
- Reference (OpenAPI 3.1): ${base}/openapi.json
- Authentication: \`Authorization: Bearer <API_KEY>\`. A person makes keys in the console; a key holds any of the
  levels read, build and manage, and none implies another.
- Errors: send \`Service-Error-Format: 2\`. Every error has \`code\`, \`retryable\`, \`retry_after_s\`, \`fault\` (who must
  act), \`docs\` and \`next\`: requests that can be sent as they stand. All codes: ${siteUrl}/docs/errors.md
- What a program cannot do: pay, consent, make keys. For these it shows a person a link.

With a key, begin here; it answers with a page like this one, written for the account of the key:

    curl -sS -H "Authorization: Bearer $CIDERMILL_API_KEY" ${base}/agent/start

${renting(base)}
${firstBuild(base)}
${afterTheBuild()}
${secretsByCurl(base)}
${macChanges()}
${mcpSetup(base)}`;
}

/** What the caller may know and do now. */
export function accountStart(siteUrl: string, caller: Caller, facts: StartFacts, limits: Limits): string {
  const { account, levels, key } = caller;
  const base = `${siteUrl}/api/v1`;
  const may = (level: Level) => levels.includes(level);
  const sections = [
    `# Cidermill: ${line(account.name)}

- base_url: ${base}
- Account: ${line(account.slug)} (${account.orgId}, number ${account.id})
- ${key ? `This key, ${line(key.name)},` : 'This session'} may: ${levels.join(', ') || 'nothing'}${missing(levels)}
${keyLimits(key)}- Builds: ${facts.queue.running} running, ${facts.queue.queued} waiting
- Limits: ${limits.requests_per_minute} requests a minute, ${limits.concurrent_builds} builds running at once,
  ${limits.pending_orders} unpaid orders; ${limits.queued_builds} builds of the account waiting`,
    `## What to do next\n\n${nextSteps(caller, facts)
      .map((step, at) => `${at + 1}. ${step}`)
      .join('\n')}`,
    `## Macs\n\n${macLines(facts.macs)}`,
    `## Tiers\n\n${tierLines(facts.tiers)}`,
    ...(may('build')
      ? [firstBuild(base)]
      : ['## Build\n\nThis key cannot start builds: it has not the level build.']),
    afterTheBuild(),
    ...(may('manage') ? [renting(base), secretsByCurl(base), macChanges()] : []),
    mcpSetup(base),
  ];
  return `${sections.map((section) => section.trim()).join('\n\n')}\n`;
}

function missing(levels: readonly Level[]): string {
  const none: Readonly<Record<Level, string>> = {
    read: 'look at anything',
    build: 'start builds',
    manage: 'order, change Macs or set secrets',
  };
  const cannot = (Object.keys(none) as Level[]).filter((level) => !levels.includes(level));
  return cannot.length === 0 ? '' : `. It cannot ${cannot.map((level) => none[level]).join(', nor ')}`;
}

function keyLimits(key: Caller['key']): string {
  if (!key) return '';
  const parts = [
    ...(key.expiresAt === null ? [] : [`valid until ${new Date(key.expiresAt).toISOString()}`]),
    ...(key.cidrs.length === 0 ? [] : [`from ${key.cidrs.join(', ')} only`]),
  ];
  return parts.length === 0 ? '' : `- The key is ${parts.join(', ')}\n`;
}

const LITTLE_TIME_S = 24 * 3600;

/** In the order in which they matter. */
function nextSteps({ levels, account }: Caller, { macs, queue, tiers }: StartFacts): string[] {
  const may = (level: Level) => levels.includes(level);
  const usable = macs.filter(({ state }) => state !== 'reserved');
  const onSale = tiers.find(({ tier, stock }) => tier.salesOpen && stock.free > 0);
  const steps: string[] = [];
  if (account.paymentsBlocked) {
    steps.push(
      'Payments of this account are blocked: a person has to settle it with the people who run the service.',
    );
  }
  if (usable.length === 0) {
    if (!may('manage'))
      steps.push(
        'There is no Mac, and this key cannot order one: ask a person for a Mac or for a key with manage.',
      );
    else if (onSale) {
      const price = `${onSale.tier.priceWon} won for 24 h`;
      steps.push(
        `There is no Mac: order one (\`${onSale.tier.tier}\`, ${price}; ask your user first), and give a person the pay_url.`,
      );
    } else steps.push('There is no Mac, and none is free: `POST /waitlist` with the tier you want.');
    if (may('build'))
      steps.push('A build can be queued before there is a Mac, with `"queue_until_rental": true`.');
  } else if (may('build')) {
    const waiting = usable.some(({ state }) => state === 'ready')
      ? 'A Mac is ready: build (the first build below works as it stands).'
      : 'Every Mac is busy: a build waits its turn in the queue.';
    steps.push(waiting);
  }
  for (const mac of usable) {
    if (mac.state === 'preparing' || mac.remainingS > LITTLE_TIME_S) continue;
    const how = may('manage')
      ? `\`POST /rentals/${mac.rentalId}/extend\` with \`{"hours":24}\`, and give a person the pay_url`
      : 'a person or a key with manage can extend it';
    steps.push(`${mac.rentalId} ends in ${spanOf(mac.remainingS)}: ${how}.`);
  }
  if (queue.queued > 3 * Math.max(1, usable.length)) {
    steps.push('More than three builds wait for each Mac: another Mac would shorten the queue.');
  }
  if (may('read'))
    steps.push('Later, `GET /status` tells Macs, queue, last builds and advice in one answer.');
  return steps.length > 0 ? steps : ['Ask a person for a key with more levels.'];
}

function macLines(macs: readonly StartMac[]): string {
  if (macs.length === 0) return 'None.';
  return macs
    .map(
      ({ rentalId, tier, state, xcode, remainingS }) =>
        `- ${rentalId}: ${tier}, ${state}${xcode ? `, Xcode ${xcode}` : ''}, ${spanOf(remainingS)} left`,
    )
    .join('\n');
}

const spanOf = (seconds: number): string =>
  seconds >= 2 * 3600 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 60)} min`;

function tierLines(tiers: readonly StockedTier[]): string {
  if (tiers.length === 0) return 'None are offered here yet.';
  return tiers
    .map(({ tier, stock }) => {
      const xcodes = tier.xcodeVersions.length > 0 ? `Xcode ${tier.xcodeVersions.join(', ')}` : 'no Xcode';
      const sold = tier.salesOpen ? `${stock.free} free now` : 'sales are closed now';
      return `- ${tier.tier}: ${line(tier.name)}, ${tier.priceWon} won for 24 h, ${sold}, ${xcodes}`;
    })
    .join('\n');
}

/** Names are other people's text: no line of theirs may look like one of ours. */
function line(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').replace(/[`<>[\]*_#]/g, '');
}
