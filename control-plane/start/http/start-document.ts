// The documents that a program reads first: a public one, and one with the current state of an account.

import type { Caller, Level } from '../../platform/domain/caller.js';
import type { Limits } from '../../platform/domain/limits.js';
import { requestsPerMinute } from '../../platform/http/request-rate.js';
import type { TierOnSale } from '../../renting/app/catalog.js';
import type { StartFacts } from '../app/start.js';
import { hasMac, macLine, nextSteps } from './start-next-steps.js';
import {
  afterTheBuild,
  conventions,
  firstBuild,
  macChanges,
  mcpSetup,
  notifications,
  orderCommands,
  partialUpload,
  renting,
  secretsByCurl,
} from './start-sections.js';

/** Returns the public document. */
export function publicStart(siteUrl: string, limits: Limits): string {
  const base = `${siteUrl}/api/v1`;
  return `# Cidermill

Rents dedicated Macs in 24-hour passes and runs builds on them. This page is for programs; a person starts at ${siteUrl}.

- base_url: ${base}
${conventions(siteUrl)}
- Authentication: \`Authorization: Bearer <API_KEY>\`. A person creates keys in the console. A key has any of the
  levels read, build and manage; none includes another.
- A program cannot pay, consent or create keys. It shows a person a link instead.

With a key, also read this page: the account's Macs, tiers and limits, what to do next, and the commands.

    curl -sS -H "Authorization: Bearer $CIDERMILL_API_KEY" ${base}/agent/start

${firstBuild(base, limits)}
${partialUpload(base)}
${afterTheBuild(limits)}
${renting(base, limits)}
${notifications(limits)}
${secretsByCurl(base)}
${macChanges()}
${mcpSetup(base)}`;
}

/** Returns the document for a caller: the state of its account, and what its key permits. */
export function accountStart(siteUrl: string, caller: Caller, facts: StartFacts, limits: Limits): string {
  const { account, levels, key } = caller;
  const base = `${siteUrl}/api/v1`;
  const may = (level: Level) => levels.includes(level);
  const tier = tierToOrder(facts.tiers);
  const owned = ownsItsMacs(facts);
  const sections = [
    `# Cidermill: ${line(account.name)}

- base_url: ${base}
- The same for every account (uploads and builds with curl, logs, webhooks, secrets, MCP): ${siteUrl}/agent-start.md
- Account: ${line(account.slug)} (${account.orgId}, number ${account.id})
- ${key ? `This key, ${line(key.name)},` : 'This session'} may: ${levels.join(', ') || 'nothing'}${missing(levels)}
${keyLimits(key)}- Builds: ${facts.queue.running} running, ${facts.queue.queued} waiting
- Limits: ${requestsPerMinute(caller, limits)} requests a minute, ${limits.concurrent_builds} builds running at once,
  ${owned ? '' : `${limits.pending_orders} unpaid orders; `}${limits.queued_builds} builds of the account waiting; a build may last
  ${limits.build_timeout_min_max} minutes (timeout_min, ${limits.build_timeout_min_default} by default)`,
    `## What to do next\n\n${nextSteps(caller, facts)
      .map((step, at) => `${at + 1}. ${step}`)
      .join('\n')}`,
    `## Macs\n\n${facts.macs.map(macLine).join('\n') || 'None.'}`,
    ...(owned ? [] : [`## Tiers\n\n${tierLines(facts.tiers)}`]),
    may('build')
      ? buildSection(siteUrl, facts)
      : '## Build\n\nThis key cannot start builds: it does not have the level build.',
    ...(may('manage') && tier && !owned && !account.paymentsBlocked ? [orderCommands(base, tier)] : []),
  ];
  return `${sections.map((section) => section.trim()).join('\n\n')}\n`;
}

/** Returns whether all Macs of the account were granted: it neither rents nor pays. */
function ownsItsMacs({ macs }: StartFacts): boolean {
  return macs.length > 0 && macs.every(({ granted }) => granted);
}

/** Returns the request that starts a build of this account. The public document describes uploads. */
function buildSection(siteUrl: string, facts: StartFacts): string {
  const xcode = [...facts.macs.map((mac) => mac.xcode), ...facts.tiers.map(({ tier }) => tier.defaultXcode)].find(
    (version) => version !== null,
  );
  const body = [
    '"upload_id":"UPLOAD"',
    '"script":"make test"',
    ...(hasMac(facts) ? [] : ['"queue_until_rental":true']),
    ...(xcode ? [`"xcode":"${xcode}"`] : []),
  ];
  return `## Build

    POST /builds {${body.join(',')}}

UPLOAD is the \`upload_id\` of an upload; ${siteUrl}/agent-start.md has every step as commands.${xcode ? ' `xcode` may be left out.' : ''}`;
}

/** Returns a tier that can be ordered now, else the first; null if there are none. */
function tierToOrder(tiers: readonly TierOnSale[]): TierOnSale | null {
  return tiers.find(({ tier, availability }) => tier.salesOpen && availability.orderable > 0) ?? tiers[0] ?? null;
}

function missing(levels: readonly Level[]): string {
  const none: Readonly<Record<Level, string>> = {
    read: 'read',
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

function tierLines(tiers: readonly TierOnSale[]): string {
  if (tiers.length === 0) return 'None are offered here yet.';
  return tiers
    .map(({ tier, availability }) => {
      const xcodes = tier.xcodeVersions.length > 0 ? `Xcode ${tier.xcodeVersions.join(', ')}` : 'no Xcode';
      const sold = tier.salesOpen ? `${availability.orderable} to order now` : 'sales are closed now';
      return `- ${tier.tier}: ${line(tier.name)}, ${tier.priceWon} won for 24 h, ${sold}, ${xcodes}`;
    })
    .join('\n');
}

/** Removes line breaks and Markdown from a name: it is untrusted text, and must not look like part of the document. */
function line(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').replace(/[`<>[\]*_#]/g, '');
}
