// The suggested next steps for an account, given its state and key, for a program that has read no other documentation.

import { macLabel } from '../../../shared/mac-name.js';
import { macProblemTexts } from '../../macs/domain/mac-problem.js';
import type { Caller, Level } from '../../platform/domain/caller.js';
import { isoTime } from '../../platform/domain/iso-time.js';
import type { StartFacts, StartMac, StartOrder } from '../app/start.js';

const LITTLE_TIME_S = 24 * 3600;
/** Queued builds per Mac above which another Mac is suggested. */
const BACKLOG = 3;

/** Returns the steps, most important first; never empty. */
export function nextSteps({ levels, account }: Pick<Caller, 'levels' | 'account'>, facts: StartFacts): string[] {
  const may = (level: Level) => levels.includes(level);
  const blocked = account.paymentsBlocked
    ? [
        'Payments of this account are blocked: nothing can be ordered or extended until a person has settled it with the people who run the service.',
      ]
    : [];
  const macs = hasMac(facts) ? macSteps(facts, may) : noMacSteps(facts, may, account.paymentsBlocked);
  const steps = [
    ...blocked,
    ...facts.orders.map((order) => orderStep(order, facts.now)),
    ...macs,
    ...lastBuildStep(facts),
    ...(account.paymentsBlocked ? [] : extensionSteps(facts, may)),
    ...backlogStep(facts),
    ...(may('read') ? ['Later, `GET /status` answers Macs, queue, last builds and advice in one request.'] : []),
  ];
  return steps.length > 0 ? steps : ['Ask a person for a key with more levels.'];
}

/** Returns whether the account has a Mac that a build could be queued for. */
export const hasMac = ({ macs }: Pick<StartFacts, 'macs'>): boolean => macs.some(({ state }) => state !== 'reserved');

function orderStep(order: StartOrder, now: number): string {
  const { orderNo, units, hours, kind, amountWon, payUrl, payUntil, startAt } = order;
  const wait = `\`GET /orders/${orderNo}/wait\``;
  if (payUrl === null && startAt !== null && startAt > now) {
    return `Order ${orderNo} is paid, and its Macs start at ${isoTime(startAt)}: do not wait for them before then.`;
  }
  if (payUrl === null) return `Order ${orderNo} is paid, and its Macs are being prepared: ${wait}.`;
  const what = kind === 'extension' ? `${hours} h more` : `${units} ${units === 1 ? 'Mac' : 'Macs'} for ${hours} h`;
  return `Order ${orderNo} (${what}, ${amountWon} won) waits for a person to pay: show them ${payUrl}, valid until ${isoTime(payUntil)}; then ${wait}.`;
}

function noMacSteps(facts: StartFacts, may: (level: Level) => boolean, blocked: boolean): string[] {
  const reserved = facts.macs.map((mac) => `${macLabel(mac)} is reserved from ${isoTime(mac.startsAt)} on.`);
  const coming = reserved.length + facts.orders.length > 0;
  const build = may('build')
    ? ['A build can be queued before there is a Mac, with `"queue_until_rental": true`.']
    : [needsBuild];
  if (coming || blocked) return [...reserved, ...(blocked && !coming ? ['There is no Mac.'] : []), ...build];
  return [wayToAMac(facts, may), ...build];
}

function wayToAMac({ tiers }: StartFacts, may: (level: Level) => boolean): string {
  if (!may('manage')) {
    return 'There is no Mac, and this key cannot order one: ask a person for a Mac, or for a key with the level manage.';
  }
  const offered = tiers.find(({ tier, availability }) => tier.salesOpen && availability.orderable > 0);
  if (offered) {
    const { tier, priceWon } = offered.tier;
    return `There is no Mac: order one (\`${tier}\`, ${priceWon} won for 24 h; ask your user first), and give a person the pay_url.`;
  }
  if (tiers.some(({ tier, availability }) => tier.salesOpen && availability.free > 0)) {
    return 'There is no Mac. Some are free, but this account cannot order more now: a person has to pay its unpaid orders, or it has to wait because earlier orders were not paid (`POST /orders` answers `retry_after_s`).';
  }
  const waiting = tiers.find(({ waitlist }) => waitlist.some(({ status }) => status === 'waiting'));
  if (waiting) {
    return `There is no Mac, and none is free. The account is on the waitlist for \`${waiting.tier.tier}\`: its owners and admins get a notice when there is one.`;
  }
  const [soldOut] = tiers;
  return soldOut
    ? `There is no Mac, and none is free: \`POST /waitlist\` with \`{"tier":"${soldOut.tier.tier}"}\`, and its owners and admins get a notice when there is one.`
    : 'There is no Mac, and no tier is offered yet: ask the people who run the service.';
}

const needsBuild = 'This key cannot start builds: ask a person for a key with the level build.';

function macSteps({ macs }: StartFacts, may: (level: Level) => boolean): string[] {
  if (!may('build')) return [needsBuild];
  const usable = macs.filter(({ state }) => state !== 'reserved');
  const there = usable.filter(({ takesBuilds }) => takesBuilds);
  if (there.some(({ state }) => state === 'ready')) {
    return ['A Mac is ready: build (see Build).'];
  }
  if (there.some(({ state }) => state === 'building')) {
    return ['Every Mac is busy: a new build waits in the queue.'];
  }
  const states = usable.map((mac) => {
    const { problem, takesBuilds, state } = mac;
    const why = problem === null ? '' : `: ${macProblemTexts[problem]} The host keeps trying`;
    return `${macLabel(mac)} is ${takesBuilds ? state : 'taking no builds'}${why}`;
  });
  return [
    `No Mac takes builds right now (${states.join(', ')}): a new build waits in the queue and starts when one does.`,
  ];
}

function lastBuildStep({ lastBuild }: StartFacts): string[] {
  if (lastBuild?.status !== 'failed') return [];
  const { buildId, failure } = lastBuild;
  const why = failure ? ` (${failure.reasonCode}, fault ${failure.fault})` : '';
  return [`The last build, ${buildId}, failed${why}: \`GET /builds/${buildId}\` says why and what to do.`];
}

function extensionSteps({ macs, orders }: StartFacts, may: (level: Level) => boolean): string[] {
  const open = new Set(orders.flatMap(({ extends: rentals }) => rentals));
  const ending = macs.filter(
    ({ state, remainingS, rentalId, granted }) =>
      !granted && !['reserved', 'preparing'].includes(state) && remainingS <= LITTLE_TIME_S && !open.has(rentalId),
  );
  return ending.map((mac) => {
    const { rentalId, tier, remainingS, maxExtendDays } = mac;
    if (maxExtendDays === 0) {
      const body = JSON.stringify({ tier, hours: 24 });
      return `${macLabel(mac)} ends in ${spanOf(remainingS)} and cannot be extended: order a new Mac; \`POST /quote\` with \`${body}\` says what it costs.`;
    }
    const how = may('manage')
      ? `\`POST /rentals/${rentalId}/extend\` with \`{"hours":24}\`, and give a person the pay_url`
      : 'a person or a key with manage can extend it';
    return `${macLabel(mac)} ends in ${spanOf(remainingS)}: ${how}.`;
  });
}

function backlogStep({ macs, queue }: StartFacts): string[] {
  const usable = macs.filter(({ state }) => state !== 'reserved').length;
  if (usable === 0 || queue.queued <= BACKLOG * usable) return [];
  return [`More than ${BACKLOG} builds wait for each Mac: another Mac would shorten the queue.`];
}

export function macLine(mac: StartMac): string {
  const { tier, state, xcode, remainingS, endless, startsAt, takesBuilds, problem } = mac;
  const parts = [
    tier,
    state === 'reserved' ? `reserved from ${isoTime(startsAt)}` : state,
    ...(takesBuilds || state === 'reserved' ? [] : ['its host takes no builds now']),
    ...(xcode ? [`Xcode ${xcode}`] : []),
    endless ? 'no end' : `${spanOf(remainingS)} left`,
  ];
  const why = problem === null ? '' : `. ${macProblemTexts[problem]} The host keeps trying.`;
  return `- ${macLabel(mac)}: ${parts.join(', ')}${why}`;
}

const spanOf = (seconds: number): string =>
  seconds >= 2 * 3600 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 60)} min`;
