// The brief OpenAPI document, served by default: the same operations, fields and codes as in the full one, with
// shorter texts and without what the rules in its introduction already say.
import { isObject, type Json } from './json-schema.js';

/** @returns a copy */
export function inBrief(document: Json): Json {
  return brief(document) as Json;
}

/** @param isSent in the body of a request: what must be sent is always listed */
function brief(node: unknown, isSent = false): unknown {
  if (Array.isArray(node)) return node.map((item) => brief(item, isSent));
  if (!isObject(node)) return node;
  const result: Json = {};
  for (const [name, value] of Object.entries(withoutMeanings(node))) {
    if ((name === 'description' || name === 'summary') && typeof value === 'string') {
      const text = gone.has(value) ? '' : (shorter[value] ?? value);
      if (text !== '') result[name] = text;
    } else if (name === 'x-enum-descriptions' && Array.isArray(value)) {
      if (!value.every((meaning) => gone.has(meaning))) result[name] = value;
    } else if (name !== 'additionalProperties' || value !== false)
      result[name] = brief(value, isSent || name === 'requestBody');
  }
  if (result.type === 'object' && isObject(node.properties)) delete result.type;
  const { required } = node;
  const all = !isSent && isObject(node.properties) && Array.isArray(required);
  if (all && required.length === Object.keys(node.properties as Json).length) delete result.required;
  return result;
}

/** An object with a code and its sentence need not say what each code means. */
function withoutMeanings(node: Json): Json {
  if (!isObject(node.properties)) return node;
  const { code, text } = node.properties as { code?: Json; text?: Json };
  if (!isObject(code) || !isObject(text)) return node;
  const { 'x-enum-descriptions': _, ...rest } = code;
  return { ...node, properties: { ...node.properties, code: rest } };
}

/**
 * Descriptions that only repeat the name or type of a field, or one of the rules; meanings of values, where all of an
 * enumeration are listed.
 */
export const gone: ReadonlySet<string> = new Set([
  'One line of a log',
  'Macs that this account can order now',
  'Free for this account, whether it may order them now or not',
  'Null for an upload',
  'Written by the service; all other lines are output of the build',
  'The workspace that the key belongs to',
  'Requests that remain now',
  'The account, and the key of this request',
  'What the account uses now',
  'Files of uploads; equal files count once',
  'Slots with a Mac, or held by an unpaid order',
  'files of uploads',
  'artifacts of builds',
  'logs of builds',
  'how long logs are kept',
  'how long builds and events are kept',
  'upload requests at the same time',
  'open long polls and streams',
  'requests of all keys together per minute',
  'A kind of Mac, its price and its availability',
  'The account’s entries',
  'A waitlist entry for Macs of a tier',
  'Builds of the account',
  'Macs requested on the waitlist',
  'For one Mac and period',
  'Macs',
  'VAT included',
  'Refunded part of `amount_won`; 0 if none',
  'When it expired, was canceled or was refunded',
  'Why it ended: expired, canceled, or refunded as a whole',
  '`before` of the next, older page; null on the last one',
  '`next_before` of the page before',
  '`next_cursor` of the previous page',
  '`cursor` of the next page; null on the last one',
  'Macs that have not ended, and the account’s queue',
  'A rented Mac and what it builds',
  'A rented Mac with what is installed on it',
  'A rented Mac',
  'Of Macs, advice and builds; all by default',
  'The version that is selected',
  'What one more day costs',
  'Null until it has ended',
  'Null unless it is queued',
  'The same as a time',
  'Null without an estimate',
  'When its cancellation was requested',
  'Why a build failed, according to its log',
  'What to do next',
  'Where in the source the cause is',
  'The account’s running and waiting builds',
  'What may be selected for this Mac',
  'Its last job',
  'What is installed and selected',
  'A change of a rented Mac, carried out asynchronously',
  'Quote more time for a Mac',
  'Quote more time for several Macs',
  'The end after the extension',
  'The current end',
  'False: it cannot be extended; `reason` says why',
  'Macs, queue, last builds and advice in one answer',
  'Orders that a person may pay now',
  'What the account may want to do now',
  'What it is for, in a word or two',
  'An order that waits for a person to pay it; it holds its Macs until then',
  'A build that was just submitted',
  'Number of a pull request',
  'Minutes',
  'Why a build failed and what to do about it, in one answer of bounded size',
  'Null unless it has failed',
  'What to do next, in a sentence',
  'True: there are more artifacts than these',
  'Lines of a build’s log by their numbers',
  'Lines of a build’s log that contain a text',
  '`from_line` that goes on with the next match; null when there is none',
  'The result of a requested change of one of several Macs',
  'True: every Mac of the account',
  'An accepted change of one Mac; a refusal is an error',
  'How a Mac is to be reset',
  'A build secret; its value is never shown',
  'A build secret that was just stored',
  'A failed request of the account, or a failed build',
  'An address that receives events of the account',
  'Null while it is enabled',
  'A webhook with its secret: returned at registration and rotation',
  'One event to one receiver',
  'Number of attempts made',
  'An upload, and its contents that the service does not have',
  'How many',
  'The files of a folder with their hashes',
  '1 to 64 letters, digits, underscores, dots and hyphens; not `.` or `..`',
  'SHA-256 of the content, 64 lower-case hexadecimal digits',
  'A folder uploaded as one archive',
  'Progress of an upload',
  'An uploaded folder, or an artifact of a build',
  'The body sent to a receiver; `event_type` tells which',
  'A build was accepted, has started or has ended',
  'The build as it was when the event happened',
  'A build makes no progress; its status does not change',
  'Sent at registration, when the address changes, and by request',
  'The page of the code',
  'Retired',
  'The Mac that it is pinned to',
  'The build that it repeats',
  'Id of an upload that is ready',
  'Whole seconds while it runs, exact once it has ended',
  'Its Macs, once it is paid',
  'Macs that exist or are being made',
  'The longest time that a Mac can be rented for, extensions included',
  'Relative to the work folder',
  'Limits of changes that recreate it',
  'When the next one is allowed; null: now',
  'the rental was created',
  'the time of its reservation has come',
  'the host has reported it ready',
  'a build was assigned to it',
  'the build has ended',
  'the job `job_id` changes it',
  'the job has changed it',
  'the job has failed',
  'the host no longer has it and recreates it',
  'the host is disconnected',
  'the host was removed',
  'it is created on another host',
  'a build could not be prepared on it, so the host repairs it',
  'the end of its build is not confirmed by the host yet',
  'the rental has ended',
  'its time has not begun',
  'it is being created or recreated',
  'it waits for builds',
  'it runs a build',
  'it is being recreated, or its work folder is being emptied',
  'what is installed on it is being changed',
  'its rental has ended',
  'new Macs',
  'waits for its turn or for a running build to end',
  'the host is working on it',
  'the Mac has the requested setup',
  '`error` and `message` say why',
  'too few Macs are free',
  'the account was notified that it can order',
  'it is no longer waiting',
  'preparing the work folder and the environment',
  'fetching the source',
  'selecting Xcode',
  'the script itself',
  'storing the artifacts',
  'outside the build: its host, or the service',
  'it has not started',
  'it runs and prints nothing',
  'a folder that was sent',
  'what a build left behind',
  'more time for Macs',
  'events are sent',
  'nothing is sent; pending deliveries are dropped',
  'an attempt is in flight or scheduled',
  'the receiver answered 2xx',
  'all attempts failed',
  'the Mac is created for its rental',
  'it is recreated, or its work folder is emptied',
  'another Xcode is selected',
  'Xcode, simulator runtimes or tools are changed',
]);

export const shorter: Readonly<Record<string, string>> = {
  'Who has to act. Values may be added.': 'Who has to act',
  'Why a build ended. Values may be added.': 'Why a build ended',
  'Why a queued build does not run yet. Values may be added.': 'Why a queued build does not run yet',
  'Who can fix a failed build. Values may be added.': 'Who can fix a failed build',
  'The step in which a build failed. Values may be added.': 'The step in which a build failed',
  '`owner/name` on the configured code host': '`owner/name` on the code host',
  'New VMs that it may still get in 24 hours': 'New VMs allowed today',
  'Position among the waiting entries of its tier; null unless it is waiting': 'Among those of its tier',
  'Macs of one tier, across all accounts': 'Of all accounts',
  'Reserved for a later time, or held by an unpaid order': 'For later, or not yet paid',
  'A quote for Macs; holds nothing': 'Nothing is held',
  'One Mac for 24 hours': 'For 24 hours',
  'Of the whole line; the lines add up to the quote’s amount': 'Of the whole line',
  'A multiple of 24, from 24 to 720': 'Multiple of 24, 24 to 720',
  'Macs; 1 by default': 'Default 1',
  'A rental or extension order. Only a person who is signed in can consent and pay, at `pay_url`':
    'Only a person who is signed in can consent and pay, at `pay_url`',
  'Null for an extension of Macs of several tiers': 'Null: Macs of several tiers',
  'For a person of the account; valid until `pay_expires_at`': 'For a person of the account',
  'When it starts: `now`, or an ISO time': '`now`, or an ISO time',
  'The Macs that an extension extends; empty for a rental order': 'Of an extension',
  'Refunded, and its time was removed': 'Its time was taken off too',
  'When the last refund was sent or found; the bank of the payer may need days':
    'The payer’s bank may need days more',
  'Provisional while the Mac is preparing, because bought time starts when it is ready. Null: no end (see `hours`)':
    'Provisional while preparing. Null: no end (see `hours`)',
  'Total bought time; null: the operator granted the Mac without an order, and no order extends it':
    'Null: granted by the operator',
  'Amount paid, extensions included': 'Extensions included',
  'Waiting builds that only this Mac may run': 'Pinned to it',
  'The commit that was checked out for the build; null before that, and for an upload':
    'That was checked out; null for an upload',
  'The commit that was checked out; null before that': 'That was checked out',
  'The Mac that it runs or ran on': 'It runs or ran there',
  'True: the work folder contains nothing from earlier builds': 'Starts in an empty work folder',
  'True: it waits even while the account has no Mac': 'Waits without a Mac, too',
  'Of its script; 128 + n after signal n': '128 + n after signal n',
  '1 starts next; null unless it is queued': '1 starts next',
  'How many queued builds are older, regardless of priority; 0 unless it is queued':
    'Older queued builds, of any priority',
  'Estimated seconds until it starts; `estimate_basis` names the basis': 'Until it starts',
  'For a running build: from the median of the last 10 builds of the same project and script that ended by themselves; null without any':
    'Median of the last 10 of its project and script',
  'Warnings that do not prevent the build': 'What may surprise',
  'The commit status last sent to the code host, and why a later one could not be sent':
    'Last commit status sent, and why not a later one',
  'The cause in a sentence or two, from the log: text of the build, not of the service':
    'From the log, not of the service',
  'The cause, such as `compile_error`; values may be added': 'Such as `compile_error`; more may come',
  'First and last line of the log that show the cause, from 1 and inclusive':
    'First and last that show the cause',
  'In the order in which they will start': 'In the order of their starts',
  'Null if no build ran when it was requested': 'Null: no build ran',
  'One word, such as `reset_failed`': 'Such as `reset_failed`',
  'Sum of the items that can be extended': 'Of items that are ok',
  'An error code; only when it cannot be extended': 'An error code, unless ok',
  'In one word; more may come': 'More may come',
  'A request that the service suggests next; method, path and body can be sent as they stand':
    'To be sent as it stands',
  'The whole path from the site’s root': 'From the site’s root',
  'The secret signs requests to `notify_url`; it is shown only once':
    'The secret of `notify_url`, shown once',
  'Branch or tag; beside `upload_id` a label': 'Branch or tag; a label beside `upload_id`',
  '7 to 40 hexadecimal digits; beside `upload_id` a label':
    '7 to 40 hexadecimal digits; a label beside `upload_id`',
  'Only on a Mac that has this version selected': 'Only on Macs that have it selected',
  'Only on this Mac': 'Only there',
  'True: wait for a Mac to be rented if the account has none': 'Waits without a Mac, too',
  'A public https address that receives this build’s stall and end events':
    'Public https; receives stall and end events',
  'The last lines of the log, by default at most 15, without those in `lines`':
    'The last, at most 15, without `lines`',
  'Lines of the log so far': 'So far',
  'Artifacts of the build, newest first, by default at most 20': 'At most 20',
  'Number of the line in the whole stored log, from 1': 'In the whole log, from 1',
  'The line is longer than `text`': 'Longer than `text`',
  'The build still runs and has not ended this line: it may become longer': 'It may become longer',
  'A piece of a build’s log; offsets count bytes of the stored log': 'Offsets count bytes of the log',
  'True: the build has ended and nothing follows': 'The build has ended and nothing follows',
  '`from_line` of the next page; null when there is none so far': 'Null: no more so far',
  'Matching lines in the whole log': 'In the whole log',
  'Of them, those before `from_line`': 'Before `from_line`',
  'Absent when there is nothing to do': 'Absent: nothing to do',
  '`unchanged`: the Mac already has this setup': 'Nothing to change',
  'The error code that the form for one Mac would answer; only when rejected':
    'An error code, only when rejected',
  'Details of the error, such as `options`': 'Of the error, such as `options`',
  'Exactly one of all and ids': 'Either all or ids',
  'True keeps the machine and its caches; false, the default, recreates it':
    'Default false: recreates the machine',
  'False: the service has lost the key that opens it; builds fail until it is set again or removed':
    'False: set it again or remove it',
  'False: too short to be masked in logs, or blank': 'False: too short for logs, or blank',
  'Of the error catalog; of a failed build its `reason_code`': 'Of a build its `reason_code`',
  'Result of the last test': 'The last one',
  'Signs deliveries; only shown here': 'Signs deliveries; shown once',
  'A public https URL': 'Public https',
  'Default: the events of builds that end or stall': 'Default: ends and stalls of builds',
  'A WebhookEventType; more may be added': 'More may come',
  'Why the last attempt failed': 'Of the last attempt',
  'Of the last attempt; the body is cut at 4 KiB': 'Body: its first 4 KiB',
  'SHA-256 of the contents still missing': 'SHA-256 of contents to send',
  'True: nothing is missing; it can be built': 'Nothing is missing',
  'Of all live files of the workspace': 'Of the workspace',
  'Of an artifact: relative, `/` between its parts': 'Of an artifact, relative',
  'The build that an artifact belongs to': 'Of an artifact',
  'True: an unfinished build needs it': 'By an unfinished build',
  'Path that answers an ArtifactAddress': 'Answers an ArtifactAddress',
  'A signed address to GET without a key, for 15 minutes': 'To GET without a key, for 15 minutes',
  '`evt_…`; one event has one, however often it is delivered': 'The same at each delivery',
  'Sequence number within the build, from 1': 'Of its build, from 1',
  'From its creation to its end, or to the event': 'To its end, or to the event',
  'The `reason_code` of its failure, such as `compile_error`': 'Its `reason_code`',
  'For programs, with a key': 'With a key',
  'For people who are signed in': 'For people',
  'Why a request failed; what is particular to its code stands beside':
    'What is particular to its code stands beside',
  'Of the error catalog; more may come': 'More may come',
  'True: the same request can succeed later': 'The same request can succeed later',
  'Of the build that the request was about, when it has failed': 'Of the build that it was about',
  'Address ranges that the key may be used from; empty: any': 'Ranges of addresses; empty: any',
  'Null only for a person in the console': 'Null for a person in the console',
  'The levels as `agent:read`, `agent:build`, `agent:manage`': 'As `agent:read` and so on',
  'The account, the key, its limits and its remaining requests': 'The account, the key and its limits',
  'Free and used Macs of every tier, and how many builds of the account run and wait':
    'Free and used Macs of every tier',
  'Quote the price and availability of Macs; holds nothing': 'Price and availability; holds nothing',
  'Wait until the status of an order changes, or it is ready, expired or canceled':
    'Wait for a change of an order',
  'A quote of more time for several Macs; an item that is not ok has a reason':
    'Quote more time for several Macs',
  'Change what is installed on a Mac: Xcode, simulator runtimes, tools': 'Change what is installed on a Mac',
  'Macs of the account that have not ended, oldest first, and its build queue':
    'Macs, oldest first, and the build queue',
  'One Mac: its setup, what can be selected for it, its last job': 'One Mac, its setup and last job',
  'How to use the service, written for this account as it is now': 'How to use the service',
  'Reset several Macs: recreate them, or only empty their work folders': 'Reset several Macs',
  'Reset a Mac: recreate it, or only empty its work folder': 'Reset a Mac',
  'Registers a webhook and tests it at once; unless the test is answered 2xx, the webhook is stored disabled':
    'Registers and tests a webhook',
  'Changes a webhook; a new URL and enabling are tested first': 'Changes a webhook; a new URL is tested',
  'Rotates the signing secret; the previous one also signs during a grace period':
    'Rotates the signing secret',
  'Deliveries of a webhook, newest first, with request and response': 'Deliveries of a webhook',
  'Resends everything since a time, including events missed while the webhook was disabled':
    'Resends everything since a time',
  'Create an upload from the manifest of a folder; the response lists the missing contents':
    'Create an upload from a manifest',
  'An address from which an artifact can be fetched for a short time, without a key':
    'A short-lived address of an artifact',
  'Recent API errors and failed builds of the account, newest first': 'API errors and failed builds',
  'Orders of the account, newest first': 'Orders',
  'The builds of the workspace, newest first': 'Builds',
  'The webhooks of the account, oldest first': 'Webhooks, oldest first',
  'Entries of the account, newest first': 'Own entries',
  'A JSON segment from this byte; with format=text the stream begins there':
    'JSON from this byte on; with format=text text',
  'Seconds to wait for more: up to 60 for a segment or lines, 3600 for a text stream': 'For JSON at most 60',
  'Lines from this number on, as JSON; with `search` matches from there on':
    'JSON of lines or matches from this on',
  'Lines that contain this text, as JSON: literal, ignoring case and colors':
    'JSON of lines with this literal text, in any case',
  'Removes colors and other terminal escape sequences': 'Without escape sequences',
  'The time of arrival of each line; not with `offset`': 'Times of lines; not with `offset`',
  'With `timestamps`: when its beginning arrived; null if unknown': 'With `timestamps`; null: unknown',
  'Lines of the log that show the cause, by default at most 40 of at most 500 characters, without escape sequences and invisible characters':
    'Lines that show the cause, at most 40 of 500 characters',
  'Join the waitlist: get a notification when this many Macs of a tier can be ordered':
    'Be notified when Macs of a tier can be ordered',
  'Order more time for several Macs with one pay_url, for all or none':
    'Order more time for several Macs, all or none',
  'Same as in the body; the same on every attempt and for every receiver':
    'As in the body; the same on every attempt',
  'Tiers: price for 24 hours, specification, Xcode versions, availability':
    'Tiers: price, specification, availability',
  'Retried after 10 s, 30 s, 2 min, 10 min and 30 min, or later if `Retry-After` says so':
    'Retried after 10 s to 30 min, or as `Retry-After` says',
  'Signature with the previous secret, during the grace period after a rotation': 'With the previous secret',
  'Removes a secret; builds that run keep the value they started with':
    'Removes a secret; running builds keep it',
  'Identifies this event for this receiver; the same on every attempt':
    'Of event and receiver; the same on every attempt',
  'A test: at registration, when the address changes, and by request': 'A test of the webhook',
  'Uploaded folders and artifacts of a workspace, newest first': 'Uploads and artifacts',
  'Reset several Macs or select their Xcode, for the console': 'Reset Macs or select their Xcode',
  'Seconds since its last known output; null unless it runs': 'Since its last output',
  'Macs, queue, advice and the last builds at a glance': 'Macs, queue, advice, last builds',
  'Cancel a build; an ended build is returned unchanged': 'Cancel a build',
  'Created at this time or later: an ISO time or epoch milliseconds': 'Created since: ISO time or epoch ms',
  'Created before: an ISO time or epoch milliseconds': 'Created before: ISO time or epoch ms',
  'At this time or later: an ISO time or epoch milliseconds': 'Since: ISO time or epoch ms',
  'Delete an upload that no unfinished build uses, or an artifact': 'Delete an upload or artifact',
  'Submit the request of a build again, for the same commit or upload': 'Build the same again',
  'Seconds after which the same request may be sent again, if known':
    'When the same request may be sent again',
  'Sends a test; a 2xx answer enables the webhook': 'Sends a test',
  'Removes a webhook and drops its pending deliveries': 'Removes a webhook',
  'Sets a secret: an environment variable of every build, masked in logs':
    'Sets an environment variable of every build',
  'When each step began, by its name, in the current attempt': 'When each began',
  'Default: 1000; with `search` at most 1000. Fewer when they are long':
    'Default 1000; at most 1000 with `search`. Fewer if long',
};
