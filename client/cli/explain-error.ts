// Advice for an error: what the service says is valid, and its suggested requests as
// commands.
import { type CidermillError, UNREACHABLE } from '../cidermill-error.js';
import type { NextRequest } from '../types.js';
import { shellWord } from './build-request.js';
import { printable } from './terminal.js';

/** Lines to show below an error's message; empty when there is nothing to add. */
export function explainError({ code, status, detail, next }: CidermillError): string[] {
  const lines = [
    ...(code === UNREACHABLE ? [WHENCE] : []),
    ...(detail.required_level === undefined ? [] : [levelText(detail)]),
    ...records(detail.fields).map(({ path, message }) => `${asText(path)}: ${asText(message)}`),
    ...records(detail.items)
      .filter(({ ok }) => ok === false)
      .map(({ rental_id, reason, message }) =>
        [asText(rental_id), asText(reason), asText(message)].filter((part) => part !== '').join(': '),
      ),
  ];
  const options = list(detail.options);
  if (options.length > 0) lines.push(`one of: ${options.join(', ')}`);
  const commands = next.map(commandOf).filter((command) => command !== null);
  if (status === 401) commands.push('cidermill login');
  lines.push(...new Set(commands.map((command) => `try: ${command}`)));
  return lines.map((line) => `  ${printable(line)}`);
}

const WHENCE =
  'is it running, and is this its address? It is that of --url, CIDERMILL_URL, `cidermill login`, or `cidermill dev` here';

const levelText = ({ required_level, key_levels }: CidermillError['detail']) =>
  `this needs a key with the level ${asText(required_level)}; this one has ${list(key_levels).join(', ') || 'none'}`;

type Body = Record<string, unknown>;
type Words = (about: { id: string; body: Body; query: URLSearchParams }) => (string | string[])[];

/** A request by its method and path, `*` being an id, and the words of the command that sends it. */
const commands: Record<string, Words> = {
  'GET /catalog': () => ['catalog'],
  'GET /status': () => ['status'],
  'GET /queue': () => ['queue'],
  'GET /builds': () => ['builds'],
  'GET /secrets': () => ['secrets', 'list'],
  'POST /quote': ({ body }) => ['rent', ...orderWords(body), '--quote'],
  'POST /orders': ({ body }) => ['rent', ...orderWords(body)],
  'GET /orders': ({ query }) => ['orders', option('--status', query.get('status'))],
  'GET /orders/*': ({ id }) => ['pay-status', id],
  'GET /orders/*/wait': ({ id }) => ['pay-status', id, '--wait'],
  'GET /rentals': () => ['macs'],
  'GET /rentals/*': ({ id }) => ['macs', id],
  'PATCH /rentals/*': ({ id, body }) => ['setup', id, ...setupWords(body)],
  'POST /rentals/extend/quote': ({ body }) => ['extend', list(body.rental_ids), ...daysWords(body), '--quote'],
  'POST /rentals/extend': ({ body }) => ['extend', list(body.rental_ids), ...daysWords(body)],
  'POST /rentals/*/extend/quote': ({ id, body }) => ['extend', id, ...daysWords(body), '--quote'],
  'POST /rentals/*/extend': ({ id, body }) => ['extend', id, ...daysWords(body)],
  'POST /rentals/reset': ({ body }) => ['reset', ...targetWords(body), ...resetWords(body)],
  'POST /rentals/*/reset': ({ id, body }) => ['reset', id, ...resetWords(body)],
  'POST /rentals/xcode': ({ body }) => [
    'xcode',
    asText(body.version),
    ...targetWords(body),
    option('--when', body.when),
  ],
  'POST /rentals/*/xcode': ({ id, body }) => ['xcode', asText(body.version), id, option('--when', body.when)],
  'GET /jobs/*': ({ id }) => ['jobs', id, '--wait'],
  'GET /webhooks': () => ['webhooks'],
  'GET /webhooks/*/deliveries': ({ id }) => ['webhooks', 'deliveries', id],
  'GET /waitlist': () => ['waitlist'],
  'POST /waitlist': ({ body }) => ['waitlist', 'add', asText(body.tier), option('--units', body.units)],
  'DELETE /waitlist/*': ({ id }) => ['waitlist', 'rm', id],
};

/** The command that sends a suggested request; null when there is none. */
export function commandOf({ method, path, body = {} }: NextRequest): string | null {
  const { pathname, searchParams: query } = new URL(path, 'http://service');
  const parts = pathname.replace(/^.*?\/v\d+\//, '').split('/');
  const id = decodeURIComponent(parts[1] ?? '');
  const wanted = `${method} /${parts.join('/')}`;
  const words = commands[wanted] ?? commands[`${method} /${[parts[0], '*', ...parts.slice(2)].join('/')}`];
  if (!words) return null;
  return ['cidermill', ...words({ id, body, query }).flat().map(shellWord)].join(' ');
}

const orderWords = (body: Body) => [
  option('--tier', body.tier),
  option('--hours', body.hours),
  option('--units', body.units),
  option('--start', body.start),
  option('--xcode', isRecord(body.setup) ? body.setup.xcode : undefined),
];
const setupWords = (body: Body) => [
  option('--xcode', body.xcode),
  Array.isArray(body.runtimes) ? ['--runtimes', body.runtimes.join(',')] : [],
  Array.isArray(body.tools) ? ['--tools', body.tools.join(',')] : [],
  // The API recreates a Mac by default, the command `setup` keeps it by default.
  body.keep_cache === true ? [] : ['--no-keep-cache'],
  option('--when', body.when),
];
const resetWords = (body: Body) => [body.keep_cache === true ? ['--keep-cache'] : [], option('--when', body.when)];
const targetWords = (body: Body) => [body.all === true ? ['--all'] : list(body.ids)];
const daysWords = (body: Body) => [option('--days', Number(body.hours) / 24)];

/** `--units 2`; nothing without a value. */
const option = (flag: string, value: unknown): string[] =>
  value === undefined || value === null ? [] : [flag, asText(value)];
const list = (value: unknown): string[] => (Array.isArray(value) ? value.map(asText) : []);
const isRecord = (value: unknown): value is Body => typeof value === 'object' && value !== null;
const records = (value: unknown): Body[] => (Array.isArray(value) ? value.filter(isRecord) : []);
const asText = (value: unknown): string => (value === undefined || value === null ? '' : String(value));
