// Creates a request for a route: its path with identifiers, and a valid body. Throws for an identifier of unknown kind and
// for a body that is not listed here, so that no new route is left out.
import { gzipSync } from 'node:zlib';
import type { z } from 'zod';
import type { AnyRoute } from '../../../control-plane/platform/http/route.js';
import { record } from '../../harness/upload-bodies.js';

/** Kinds of identifiers: of resources of a workspace, or of the whole account. */
export const kinds = {
  order: 'account',
  rental: 'account',
  job: 'account',
  waitlist: 'account',
  webhook: 'account',
  delivery: 'account',
  secret: 'account',
  key: 'account',
  notice: 'account',
  workspace: 'account',
  topUp: 'account',
  member: 'account',
  invite: 'account',
  session: 'account',
  passkey: 'account',
  upload: 'workspace',
  build: 'workspace',
  artifact: 'workspace',
} as const;
export type Kind = keyof typeof kinds;
export type Ids = Readonly<Record<Kind, string>>;

/** Kinds by API and the path segment before the parameter. */
const kindOfParam: Readonly<Record<string, Kind>> = {
  'api orders': 'order',
  'api rentals': 'rental',
  'api jobs': 'job',
  'api waitlist': 'waitlist',
  'api uploads': 'upload',
  'api builds': 'build',
  'api secrets': 'secret',
  'api webhooks': 'webhook',
  'api deliveries': 'delivery',
  'console orders': 'order',
  'console topups': 'topUp',
  'console api-keys': 'key',
  'console workspaces': 'workspace',
  'console notices': 'notice',
  'console members': 'member',
  'console invites': 'invite',
  'console sessions': 'session',
  'console passkeys': 'passkey',
  'console jobs': 'build',
  'console builds': 'build',
  'console artifacts': 'artifact',
  'console files': 'artifact',
};

export type ApiName = 'api' | 'console';

/** An identifier in a path, query or body of a route. */
export interface Place {
  readonly kind: Kind;
  /** `:build_id`, `?rental_id`, `upload_id` of the body. */
  readonly where: string;
}

export const nameOf = ({ method, path }: AnyRoute) => `${method} ${path}`;

/** Identifiers in the path without the organization, in order. Throws for a parameter of unknown kind. */
export function placesInPath(api: ApiName, { path }: AnyRoute): Place[] {
  const segments = path.split('/');
  return segments.flatMap((segment, at) => {
    if (!segment.startsWith(':') || segment === ':org_id') return [];
    const kind = kindOfParam[`${api} ${segments[at - 1]}`];
    if (!kind) throw new Error(`${path}: add the kind of ${segment} to kindOfParam`);
    return [{ kind, where: segment }];
  });
}

const week = { hours: 168 };

/** Valid bodies of routes that take one. */
const bodies: Readonly<Record<string, (ids: Ids) => object>> = {
  'POST /orders': () => ({ tier: 'm4', ...week }),
  'POST /quote': () => ({ tier: 'm4', ...week }),
  'POST /waitlist': () => ({ tier: 'm4' }),
  'POST /rentals/:rental_id/extend/quote': () => ({ hours: 24 }),
  'POST /rentals/extend/quote': ({ rental }) => ({ hours: 24, rental_ids: [rental] }),
  'POST /rentals/:rental_id/extend': () => ({ hours: 24 }),
  'POST /rentals/extend': ({ rental }) => ({ hours: 24, rental_ids: [rental] }),
  'PATCH /rentals/:rental_id': () => ({ xcode: '16.1' }),
  'POST /rentals/batch': ({ rental }) => ({ action: 'reset', rental_ids: [rental], keep_cache: true }),
  'POST /rentals/reset': ({ rental }) => ({ ids: [rental], keep_cache: true }),
  'POST /rentals/:rental_id/reset': () => ({ keep_cache: true }),
  'POST /rentals/xcode': ({ rental }) => ({ ids: [rental], version: '16.1' }),
  'POST /rentals/:rental_id/xcode': () => ({ version: '16.1' }),
  'POST /builds': ({ upload, rental }) => ({ upload_id: upload, rental_id: rental, script: 'make' }),
  'PATCH /builds/:build_id': () => ({ priority: 1 }),
  'PUT /secrets/:name': () => ({ value: 'hunter2hunter2' }),
  'POST /webhooks': () => ({ url: 'https://hooks.example.com/', events: ['build.failed'] }),
  'PATCH /webhooks/:webhook_id': () => ({ events: ['build.failed'] }),
  'POST /webhooks/:webhook_id/rotate': () => ({ grace_s: 60 }),
  'POST /webhooks/:webhook_id/redeliver': () => ({ since: '2026-01-01' }),
  'POST /v1/organizations/:org_id/api-keys': ({ workspace }) => ({
    name: 'x',
    levels: ['read'],
    workspace_id: workspace,
  }),
  'PATCH /v1/organizations/:org_id/members/:user_id': ({ workspace }) => ({ workspace_ids: [workspace] }),
  'POST /v1/organizations/:org_id/invites': ({ workspace }) => ({
    email: 'invited@example.com',
    role: 'developer',
    workspace_ids: [workspace],
  }),
  'POST /v1/organizations/:org_id/workspaces': () => ({ name: 'another' }),
  'PATCH /v1/organizations/:org_id/workspaces/:workspace_id': () => ({ name: 'renamed' }),
  'PATCH /v1/passkeys/:passkey_id': () => ({ name: 'renamed' }),
  'POST /v1/organizations/:org_id/orders/:order_no/pay': () => ({
    consents: { terms: true, withdrawal: true },
  }),
  'POST /v1/organizations/:org_id/orders/:order_no/pay-with-credit': () => ({
    consents: { terms: true, withdrawal: true },
    price_micro_usd: 1_000_000,
  }),
  'POST /v1/organizations/:org_id/orders/:order_no/confirm': () => ({}),
  'POST /v1/organizations/:org_id/orders/:order_no/cancel': () => ({}),
  'POST /v1/organizations/:org_id/topups': () => ({ usd: 10 }),
  'POST /v1/organizations/:org_id/topups/:order_id/pay': () => ({
    consents: { terms: true, withdrawal: true },
  }),
  'POST /v1/organizations/:org_id/topups/:order_id/confirm': () => ({}),
  'POST /v1/organizations/:org_id/topups/:order_id/cancel': () => ({}),
  'POST /v1/organizations/:org_id/topups/:order_id/withdraw': () => ({ krw: 1 }),
  'POST /v1/jobs/:job_id/artifacts/contents': ({ artifact }) => ({ file_ids: [artifact] }),
};

/** Identifiers outside of paths, by route. */
const elsewhere: Readonly<Record<string, readonly Place[]>> = {
  'GET /builds': [
    { kind: 'rental', where: '?rental_id' },
    { kind: 'build', where: '?before' },
  ],
  'GET /orders': [{ kind: 'order', where: '?before' }],
  'GET /webhooks/:webhook_id/deliveries': [{ kind: 'delivery', where: '?before' }],
  'POST /rentals/extend/quote': [{ kind: 'rental', where: 'rental_ids' }],
  'POST /rentals/extend': [{ kind: 'rental', where: 'rental_ids' }],
  'POST /rentals/batch': [{ kind: 'rental', where: 'rental_ids' }],
  'POST /rentals/reset': [{ kind: 'rental', where: 'ids' }],
  'POST /rentals/xcode': [{ kind: 'rental', where: 'ids' }],
  'POST /builds': [
    { kind: 'upload', where: 'upload_id' },
    { kind: 'rental', where: 'rental_id' },
  ],
  'GET /v1/organizations/:org_id/notices': [{ kind: 'notice', where: '?before' }],
  'GET /v1/locate': [{ kind: 'build', where: '?id' }],
  'GET /v1/files': [
    { kind: 'workspace', where: '?workspace_id' },
    { kind: 'build', where: '?job_id' },
  ],
  'POST /v1/organizations/:org_id/api-keys': [{ kind: 'workspace', where: 'workspace_id' }],
  'PATCH /v1/organizations/:org_id/members/:user_id': [{ kind: 'workspace', where: 'workspace_ids' }],
  'POST /v1/organizations/:org_id/invites': [{ kind: 'workspace', where: 'workspace_ids' }],
  'POST /v1/jobs/:job_id/artifacts/contents': [{ kind: 'artifact', where: 'file_ids' }],
};

/** Fields that look like identifiers but identify nothing in this service, or nothing of the route. */
const noIdentifiers = new Set([
  'GET /errors ?before',
  'GET /rentals/:rental_id/history ?before',
  // Checked with the session, before the role, as for every route of an organization.
  'GET /v1/organizations/:org_id/api-keys ?workspace_id',
  'POST /v1/organizations/:org_id/orders/:order_no/confirm tx_id',
  'POST /v1/organizations/:org_id/topups/:order_id/confirm tx_id',
]);

const isIdentifier = (field: string) => /(^|_)ids?$|^before$|_no$/.test(field);

const fieldsOf = (shape: z.ZodType | undefined): string[] =>
  shape && 'shape' in shape ? Object.keys(shape.shape as object) : [];

/** Identifiers in query and body. Throws for a field that looks like one and is not listed. */
export function placesElsewhere(route: AnyRoute): readonly Place[] {
  const name = nameOf(route);
  const listed = elsewhere[name] ?? [];
  const fields = [...fieldsOf(route.query).map((field) => `?${field}`), ...fieldsOf(route.body)];
  for (const field of fields.filter((one) => isIdentifier(one.replace('?', '')))) {
    if (noIdentifiers.has(`${name} ${field}`) || listed.some(({ where }) => where === field)) continue;
    throw new Error(`${name}: add the kind of ${field} to elsewhere`);
  }
  return listed;
}

export interface Sent {
  readonly method: string;
  /** Below the root of the API. */
  readonly path: string;
  readonly type: string | null;
  readonly payload: Buffer | string | null;
}

/** Returns the request with these identifiers. Throws for a route whose body is not listed. */
export function requestOf(
  api: ApiName,
  route: AnyRoute,
  ids: Ids,
  { orgId, place }: { orgId: string; place?: Place },
): Sent {
  const name = nameOf(route);
  const { method } = route;
  let path = route.path.replace(':org_id', orgId);
  for (const { kind, where } of placesInPath(api, route)) path = path.replace(where, ids[kind]);
  const query = placesElsewhere(route)
    .filter(({ where }) => where.startsWith('?') && (where !== '?before' || place?.where === where))
    .map(({ kind, where }) => `${where.slice(1)}=${ids[kind]}`);
  // The test must not wait for an event that does not happen.
  if (path.endsWith('/wait')) query.push('timeout=1');
  const address = query.length > 0 ? `${path}?${query.join('&')}` : path;
  if (route.rawBody) {
    return { method, path: address, type: route.rawBody[0] ?? '', payload: gzipSync(record('x')) };
  }
  if (!route.body) return { method, path: address, type: null, payload: null };
  const body = bodies[name]?.(ids);
  if (!body) throw new Error(`${name}: add a valid body in test/access/matrix/requests.ts`);
  const problem = route.body.safeParse(body).error;
  if (problem) throw new Error(`${name}: the body in this file is not valid: ${problem.message}`);
  return { method, path: address, type: 'application/json', payload: JSON.stringify(body) };
}
