// The page of what organizations use: storage, Macs, open requests, and the limits of each.
import type { UsageNow } from '../../access/app/account-usage.js';
import type { AccountLimits } from '../../platform/domain/account-limits.js';
import type { OpenRequests } from '../../platform/http/open-requests.js';
import { bytesText } from './amounts.js';
import { consolePage } from './console-page.js';
import { escapeHtml } from './html-page.js';

export interface UsedByOrganization {
  readonly name: string;
  readonly usage: UsageNow & ReturnType<OpenRequests['of']>;
  readonly limits: AccountLimits;
}

const DAY_MS = 24 * 3_600_000;

/** Returns the page for the organizations of a person, one card each. */
export function usagePage(organizations: readonly UsedByOrganization[], email: string): string {
  const none = `<section class="card" aria-labelledby="title">
<h1 id="title">What you use</h1>
<p class="lead">You are in no organization. An owner or admin of one has to add you.</p>
</section>`;
  return consolePage({
    title: 'What your organizations use',
    who: email,
    main: organizations.length === 0 ? none : organizations.map(card).join('\n'),
  });
}

function card({ name, usage, limits }: UsedByOrganization, at: number): string {
  const sizes = [
    ['Files of uploads', usage.contentsBytes, limits.contents_bytes],
    ['Artifacts of builds', usage.artifactsBytes, limits.artifacts_bytes],
    ['Logs of builds', usage.logsBytes, limits.logs_bytes],
  ] as const;
  const level = at === 0 ? 'h1' : 'h2';
  return `<section class="card" aria-labelledby="org-${at}">
<${level} id="org-${at}">${escapeHtml(name)}</${level}>
${fullMessages(usage, limits)}
<dl class="facts">
${sizes.map(([what, used, most]) => row(what, `${bytesText(used)} of ${bytesText(most)}`, used / Math.max(1, most))).join('\n')}
${row('Macs held', String(usage.heldSlots))}
${row('Open long polls and streams', `${usage.parked_requests} of ${limits.parked_requests}`)}
${row('Uploads in progress', `${usage.concurrent_uploads} of ${limits.concurrent_uploads}`)}
${row('Requests of all keys', `up to ${limits.account_requests_per_minute.toLocaleString('en')} a minute`)}
${row('Logs are kept for', daysText(limits.logs_kept_ms))}
${row('Builds are kept for', daysText(limits.builds_kept_ms))}
</dl>
</section>`;
}

/** Messages for limits that are reached. */
function fullMessages(usage: UsageNow, limits: AccountLimits): string {
  const deletable = [
    ...(usage.contentsBytes >= limits.contents_bytes ? ['uploads'] : []),
    ...(usage.artifactsBytes >= limits.artifacts_bytes ? ['artifacts'] : []),
  ];
  const messages = [
    ...(deletable.length > 0
      ? [
          `Storage for ${deletable.join(' and ')} is full. Delete files that are no longer needed (<code>DELETE /v1/files/{file_id}</code>), or ask the operator of this service for a higher limit.`,
        ]
      : []),
    ...(usage.logsBytes >= limits.logs_bytes
      ? [
          `Storage for logs is full: logs of new builds are cut to their beginning and end. Old ones are deleted after ${daysText(limits.logs_kept_ms)}.`,
        ]
      : []),
  ];
  return messages.map((text) => `<p class="message bad">${text}</p>`).join('\n');
}

/** @param share of the limit, from 0; shown as a bar */
function row(what: string, text: string, share?: number): string {
  const percent = share === undefined ? null : Math.min(100, Math.round(share * 100));
  const bar =
    percent === null
      ? ''
      : ` <meter min="0" max="100" high="90" value="${percent}" aria-label="${what}">${percent} %</meter>`;
  return `<dt>${what}</dt><dd>${text}${bar}</dd>`;
}

const daysText = (ms: number): string => {
  const days = Math.round((ms / DAY_MS) * 10) / 10;
  return days === 1 ? '1 day' : `${days} days`;
};
