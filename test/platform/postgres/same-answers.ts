// What is asked of every list: each value of each filter, and all pages.
import { z } from 'zod';
import { hasLimit } from '../../../control-plane/platform/http/page.js';
import type { AnyRoute } from '../../../control-plane/platform/http/route.js';
import type { Store } from '../../../control-plane/platform/store/sql.js';
import { runs } from '../../harness/soak.js';

/** Texts to search for: in another case, with what SQL and patterns treat specially, and what is stored in another form. */
const SEARCHED = [
  'ä',
  'Ä',
  'z',
  'I',
  'ı',
  'İ',
  'ß',
  'SS',
  '한',
  '🍎',
  '_',
  '%',
  'a_B',
  '\\',
  "'",
  '\u{10ffff}',
  'A\0',
  '\u{10fffe}',
  '\uffff',
  '',
];
const TIMES = ['2026-03-01T09:00:00Z', '2026-03-01T09:00:02Z', '2026-02-28', '30m', '9999-12-31T00:00:00Z'];
/** As SQL: where the values of a parameter come from. */
const STORED: Readonly<Record<string, string>> = {
  ':build_id': 'SELECT build_id FROM builds ORDER BY seq',
  ':rental_id': `SELECT m.rental_id FROM macs m
    ORDER BY (SELECT COUNT(*) FROM mac_states s WHERE s.rental_id = m.rental_id) DESC, m.rental_id`,
  ':job_id': 'SELECT job_id FROM jobs ORDER BY job_id',
  ':order_no': 'SELECT order_no FROM orders ORDER BY order_no',
  ':order_id': 'SELECT order_id FROM top_ups',
  ':webhook_id': `SELECT w.webhook_id FROM webhooks w
    ORDER BY (SELECT COUNT(*) FROM deliveries d WHERE d.receiver = w.webhook_id) DESC, w.webhook_id`,
  ':host_id': 'SELECT host_id FROM hosts ORDER BY created_at, host_id',
  ':tier': 'SELECT tier FROM tiers ORDER BY created_at DESC, tier',
  ':notice_id': 'SELECT notice_id FROM operator_notices ORDER BY seq',
  ':org_id': 'SELECT org_id FROM organizations ORDER BY id',
  ':id': 'SELECT upload_id FROM uploads ORDER BY created_at, upload_id',
  code: 'SELECT DISTINCT code FROM api_errors ORDER BY code',
  repo: 'SELECT DISTINCT repo FROM builds WHERE repo IS NOT NULL ORDER BY repo',
  pr: 'SELECT DISTINCT pr FROM builds WHERE pr IS NOT NULL ORDER BY pr DESC',
  rental_id: 'SELECT rental_id FROM macs ORDER BY created_at, rental_id',
  created_by: 'SELECT user_id FROM users ORDER BY created_at, user_id',
  workspace_id: 'SELECT workspace_id FROM workspaces ORDER BY created_at, workspace_id',
  actor: `SELECT DISTINCT COALESCE(actor_name, actor_id, 'nobody') FROM audit_log ORDER BY 1`,
  action: 'SELECT DISTINCT action FROM audit_log ORDER BY 1',
  target: 'SELECT DISTINCT target FROM audit_log WHERE target IS NOT NULL ORDER BY 1',
  job_id: 'SELECT DISTINCT build_id FROM files ORDER BY 1',
  id: 'SELECT rental_id FROM macs ORDER BY created_at',
  tier: 'SELECT tier FROM tiers ORDER BY created_at DESC, tier',
  hosts: 'SELECT name FROM hosts ORDER BY created_at, host_id',
  org: 'SELECT org_id FROM organizations ORDER BY id',
};
const GIVEN: Readonly<Record<string, readonly string[]>> = {
  q: SEARCHED,
  search: SEARCHED,
  since: TIMES,
  until: TIMES,
  from: TIMES,
  to: TIMES,
  labels: ['rack=1', 'rack'],
  missing_after: ['', 'a', 'ä', '\uffff'],
};
/** Where the list begins, or how much of it is asked for. */
const PLACES = new Set([
  'limit',
  'cursor',
  'before',
  'offset',
  'tail',
  'lines',
  'from_line',
  'timeout',
  'newest',
  'wait',
  'step',
]);
/** Values of a parameter that are tried at most. */
const TRIED = runs(4, 9);

type Given = Readonly<Record<string, string>>;

interface Shape {
  readonly def: {
    readonly type: string;
    readonly innerType?: Shape;
    readonly entries?: object;
    readonly values?: unknown[];
  };
}

/** Returns the addresses of a route: for a few of its objects, without and with each value of each filter. */
export async function addressesOf(store: Store, { path, query }: AnyRoute, given: Given): Promise<string[]> {
  const stored = async (name: string): Promise<string[]> => {
    const sql = STORED[name];
    if (sql === undefined) throw new Error(`${path}: say where values of ${name} come from`);
    const rows = await store.all<Record<string, string | number>>(sql);
    return [...new Set(rows.map((row) => String(Object.values(row)[0])))];
  };
  const some = (all: readonly string[]) => (all.length <= TRIED ? all : everyFew(all, TRIED));
  let paths = [path];
  for (const name of path.match(/:\w+/g) ?? []) {
    const values = given[name] ? [given[name]] : some(await stored(name));
    paths = paths.flatMap((one) => values.map((value) => one.replace(name, encodeURIComponent(value))));
  }
  const shape = query instanceof z.ZodObject ? (query.shape as Readonly<Record<string, Shape>>) : {};
  const filters: string[] = [];
  for (const [name, one] of Object.entries(shape)) {
    if (PLACES.has(name)) continue;
    const values = fixedValues(one) ?? GIVEN[name] ?? some(await stored(name));
    filters.push(...values.map((value) => `${name}=${encodeURIComponent(value)}`));
  }
  return [...paths, ...filters.map((filter) => `${paths[0]}?${filter}`)];
}

const everyFew = (all: readonly string[], most: number) =>
  Array.from({ length: most }, (_, i) => all[Math.floor((i * (all.length - 1)) / (most - 1))] as string);

function fixedValues(shape: Shape): string[] | null {
  const { def } = shape;
  if (def.innerType) return fixedValues(def.innerType);
  if (def.type === 'enum') return Object.keys(def.entries ?? {});
  if (def.type === 'literal') return (def.values ?? []).map(String);
  return null;
}

/** Returns the address of the next page; null: there is none. */
export function nextPage(address: string, body: unknown): string | null {
  const { next_cursor, next_before } = (typeof body === 'object' ? (body ?? {}) : {}) as Record<string, string | null>;
  const next = next_cursor ?? next_before ?? null;
  if (next === null) return null;
  const [path = '', text] = address.split('?');
  const query = new URLSearchParams(text);
  query.set(next_cursor ? 'cursor' : 'before', String(next));
  return `${path}?${query}`;
}

/** Returns the address with pages of so many entries. */
export function withLimit(address: string, route: AnyRoute, limit: number): string {
  if (!hasLimit(route)) return address;
  return `${address}${address.includes('?') ? '&' : '?'}limit=${limit}`;
}
