// Advice for an error: what the service says is valid, and its suggested requests as
// commands.
import { isObject } from '../../shared/is-object.js';
import { type CidermillError, UNREACHABLE } from '../cidermill-error.js';
import { findOperation, type OperationId } from '../operations/find-operation.js';
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
      .map(({ rental_id, rental_name, reason, message }) =>
        [asText(rental_name ?? rental_id), asText(reason), asText(message)].filter((part) => part !== '').join(': '),
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
  'is it running, and is the address right? It comes from --url, CIDERMILL_URL, `cidermill login`, or `cidermill dev` in this folder';

const levelText = ({ required_level, key_levels }: CidermillError['detail']) =>
  `this needs a key with the level ${asText(required_level)}; this one has ${list(key_levels).join(', ') || 'none'}`;

type Body = Record<string, unknown>;
type Words = (about: { id: string; body: Body; query: URLSearchParams }) => (string | string[])[];

/** The words of the command that sends an operation. */
const commands: Partial<Record<OperationId, Words>> = {
  getCatalog: () => ['catalog'],
  getStatus: () => ['status'],
  getQueue: () => ['queue'],
  listBuilds: () => ['builds'],
  listSecrets: () => ['secrets', 'list'],
  quote: ({ body }) => ['rent', ...orderWords(body), '--quote'],
  createOrder: ({ body }) => ['rent', ...orderWords(body)],
  listOrders: ({ query }) => ['orders', option('--status', query.get('status'))],
  getOrder: ({ id }) => ['pay-status', id],
  waitForOrder: ({ id }) => ['pay-status', id, '--wait'],
  listRentals: () => ['macs'],
  getRental: ({ id }) => ['macs', id],
  changeSetup: ({ id, body }) => ['setup', id, ...setupWords(body)],
  quoteExtensions: ({ body }) => ['extend', list(body.rental_ids), ...daysWords(body), '--quote'],
  extendRentals: ({ body }) => ['extend', list(body.rental_ids), ...daysWords(body)],
  quoteExtension: ({ id, body }) => ['extend', id, ...daysWords(body), '--quote'],
  extendRental: ({ id, body }) => ['extend', id, ...daysWords(body)],
  resetRentals: ({ body }) => ['reset', ...targetWords(body), ...resetWords(body)],
  resetRental: ({ id, body }) => ['reset', id, ...resetWords(body)],
  selectXcodeOfRentals: ({ body }) => [
    'xcode',
    asText(body.version),
    ...targetWords(body),
    option('--when', body.when),
  ],
  selectXcode: ({ id, body }) => ['xcode', asText(body.version), id, option('--when', body.when)],
  getJob: ({ id }) => ['jobs', id, '--wait'],
  listWebhooks: () => ['webhooks'],
  listDeliveries: ({ id }) => ['webhooks', 'deliveries', id],
  listWaitlist: () => ['waitlist'],
  joinWaitlist: ({ body }) => ['waitlist', 'add', asText(body.tier), option('--units', body.units)],
  leaveWaitlist: ({ id }) => ['waitlist', 'rm', id],
};

/** The command that sends a suggested request; null when there is none. */
export function commandOf({ method, path, body = {} }: NextRequest): string | null {
  const found = findOperation({ method, path });
  const words = found && commands[found.id]?.({ id: found.params[0] ?? '', body, query: found.query });
  return words ? ['cidermill', ...words.flat().map(shellWord)].join(' ') : null;
}

const orderWords = (body: Body) => [
  option('--tier', body.tier),
  option('--hours', body.hours),
  option('--units', body.units),
  list(body.names).flatMap((name) => ['--name', name]),
  option('--start', body.start),
  option('--xcode', isObject(body.setup) ? body.setup.xcode : undefined),
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
const records = (value: unknown): Body[] => (Array.isArray(value) ? value.filter(isObject) : []);
const asText = (value: unknown): string => (value === undefined || value === null ? '' : String(value));
