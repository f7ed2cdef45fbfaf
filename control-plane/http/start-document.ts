// The documents that a program reads first: one for everybody, one for an account as it is now.
import type { StockedTier } from '../app/catalog.js';
import type { StartFacts, StartMac } from '../app/start.js';
import type { Caller } from '../domain/caller.js';

/** What everybody may know. */
export function publicStart(siteUrl: string): string {
  return `# Cidermill

Remote builds on dedicated Macs. This page is for programs; a person starts at ${siteUrl}.

- base_url: ${siteUrl}/api/v1
- Reference (OpenAPI 3.1): ${siteUrl}/api/v1/openapi.json
- Authentication: \`Authorization: Bearer <API_KEY>\`. A person makes keys in the console; a key holds any of the
  levels read, build and manage.
- Errors: send \`Service-Error-Format: 2\`. Every error has \`code\`, \`retryable\`, \`retry_after_s\`, \`docs\` and
  \`next\`: requests that can be sent as they stand.

## First request

    curl -H "Authorization: Bearer $CIDERMILL_API_KEY" ${siteUrl}/api/v1/agent/start

It answers with a page like this one, written for the account of the key.

${howToBuild(siteUrl)}`;
}

/** What the caller may know and do now. */
export function accountStart(siteUrl: string, caller: Caller, facts: StartFacts): string {
  const { account, levels } = caller;
  return `# Cidermill: ${line(account.name)}

- base_url: ${siteUrl}/api/v1
- Account: ${line(account.slug)} (${account.orgId}, number ${account.id})
- This key may: ${levels.length > 0 ? levels.join(', ') : 'nothing'}
- Builds: ${facts.queue.running} running, ${facts.queue.queued} waiting

## Macs

${macLines(facts.macs)}

## Tiers

${tierLines(facts.tiers)}

${levels.includes('build') ? howToBuild(siteUrl) : 'This key cannot start builds: it has not the level build.'}
${levels.includes('manage') ? howToManage(siteUrl) : ''}`;
}

function howToBuild(siteUrl: string): string {
  return `## Build

With the command line, in the project's folder: \`cidermill build --script 'make test'\`. It uploads what changed,
follows the log and ends with the build's exit code. Over HTTP, from a repository:

    curl -X POST ${siteUrl}/api/v1/builds -H "Authorization: Bearer $CIDERMILL_API_KEY" \\
      -H 'Content-Type: application/json' -H 'Service-Error-Format: 2' -H "Idempotency-Key: $(uuidgen)" \\
      -d '{"repo":"owner/name","ref":"main","script":"xcodebuild test -scheme App"}'

Then, with the id of the answer:

    GET /builds/{id}/wait?timeout=60       the build when it has ended, or as it is after a minute
    GET /builds/{id}/log?tail=100          the last lines, secrets masked
    GET /builds/{id}                       \`failure\`: fault, reason_code, summary, location, log_excerpt_lines

fault customer: change the code. fault platform: build again unchanged. Repeat a request only when the error says
\`retryable\`, after \`retry_after_s\`; with the same Idempotency-Key a repeat never starts a second build.
`;
}

function howToManage(siteUrl: string): string {
  return `## Secrets

    curl -X PUT ${siteUrl}/api/v1/secrets/NAME -H "Authorization: Bearer $CIDERMILL_API_KEY" \\
      -H 'Content-Type: application/json' -d '{"value":"..."}'

A secret is an environment variable of every build and is masked in logs; its value is never shown again.

## Change a Mac

    POST  /rentals/{id}/reset {"keep_cache":true}     empty its work folder; without keep_cache it is made anew
    POST  /rentals/{id}/xcode {"version":"..."}       select another Xcode
    PATCH /rentals/{id}       {"runtimes":[],"tools":[]}
    GET   /jobs/{job_id}                              until its status is done or failed

While a build runs on the Mac, say what becomes of it: \`"when": "after_build"\` or \`"now"\`.
\`POST /rentals/reset\` and \`/rentals/xcode\` with \`"ids"\` or \`"all": true\` do the same for several Macs.
`;
}

function macLines(macs: readonly StartMac[]): string {
  if (macs.length === 0) return 'None. Builds can be queued with `"queue_until_rental": true`.';
  return macs
    .map(
      ({ rentalId, tier, state, xcode, remainingS }) =>
        `- ${rentalId}: ${tier}, ${state}${xcode ? `, Xcode ${xcode}` : ''}, ${Math.floor(remainingS / 3600)} h left`,
    )
    .join('\n');
}

function tierLines(tiers: readonly StockedTier[]): string {
  if (tiers.length === 0) return 'None are offered here yet.';
  return tiers
    .map(({ tier, stock }) => {
      const xcodes = tier.xcodeVersions.length > 0 ? `Xcode ${tier.xcodeVersions.join(', ')}` : 'no Xcode';
      return `- ${tier.tier}: ${line(tier.name)}, ${tier.priceWon} won for 24 h, ${stock.free} free now, ${xcodes}`;
    })
    .join('\n');
}

/** Names are other people's text: no line of theirs may look like one of ours. */
function line(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').replace(/[`<>[\]*_#]/g, '');
}
