// Every list that the API answers with has a `limit` parameter, or a length that something bounds: so that no page of the
// console and no client loads more than it shows.
import t from 'tap';
import { rolloutView } from '../../control-plane/hosts/http/rollout-view.js';
import { type LimitName, limitTable } from '../../control-plane/platform/domain/limits.js';
import { startHarness } from '../harness/harness.js';

/** Lists that are answered whole, with the limit of their length. */
const bounded: Readonly<Record<string, LimitName>> = {
  'api /me key.cidrs': 'key_cidrs',
  'api /account key.cidrs': 'key_cidrs',
  'api /uploads/:id missing': 'upload_files',
  'api /builds/:build_id warnings': 'build_warnings',
  'api /builds/:build_id/wait warnings': 'build_warnings',
  'api /builds/:build_id warning_messages': 'build_warnings',
  'api /builds/:build_id/wait warning_messages': 'build_warnings',
  'api /builds/:build_id/log matches': 'log_page_matches',
  'api /builds/:build_id/log lines': 'log_page_lines',
  'api /builds/:build_id/failure lines': 'failure_lines',
  'api /builds/:build_id/failure tail': 'failure_tail_lines',
  'api /builds/:build_id/failure artifacts': 'failure_artifacts',
  'api /secrets secrets': 'secrets',
  'api /catalog tiers': 'tiers',
  'api /pool tiers': 'tiers',
  'api /orders/:order_no rental_ids': 'order_units',
  'api /orders/:order_no names': 'order_units',
  'api /orders/:order_no items': 'order_units',
  'api /orders/:order_no/wait rental_ids': 'order_units',
  'api /orders/:order_no/wait names': 'order_units',
  'api /orders/:order_no/wait items': 'order_units',
  'api /rentals/:rental_id current_build.warnings': 'build_warnings',
  'api /rentals/:rental_id current_build.warning_messages': 'build_warnings',
  'api /waitlist entries': 'list_limit_max',
  'api /webhooks webhooks': 'webhooks',
  'console /v1/session organizations': 'organizations_per_person',
  'console /v1/sessions data': 'sessions_per_person',
  'console /v1/passkeys data': 'passkeys_per_person',
  'console /v1/organizations/:org_id/invites data': 'invites',
  'console /v1/organizations/:org_id/workspaces data': 'workspaces',
  'console /v1/organizations/:org_id/orders/:order_no order.rental_ids': 'order_units',
  'console /v1/organizations/:org_id/orders/:order_no order.names': 'order_units',
  'console /v1/organizations/:org_id/orders/:order_no order.items': 'order_units',
  'operator /v1/hosts/:host_id running': 'host_slots',
  'operator /v1/hosts/:host_id slot_details': 'host_slots',
  'operator /v1/hosts/:host_id xcodes': 'link_message_bytes',
  'operator /v1/hosts/:host_id health_problems': 'link_message_bytes',
  'operator /v1/hosts/:host_id health_findings': 'link_message_bytes',
  'operator /v1/tiers tiers': 'tiers',
  'operator /v1/images images': 'tiers',
  'operator /v1/enrollments tokens': 'enrolment_tokens',
  'operator /v1/enrollments approvals': 'approvals',
  'operator /v1/orders/:order_no rental_ids': 'order_units',
  'operator /v1/orders/:order_no names': 'order_units',
  'operator /v1/organizations/:org_id/workspaces workspaces': 'workspaces',
};

const ofTier = 'what an operator or an image gives a tier';
const theLog = 'two: the first and the last line';
/** Lists whose length nothing that accounts do changes. */
const fixed: Readonly<Record<string, string>> = {
  'api /me key.levels': 'as many as there are levels',
  'api /account key.levels': 'as many as there are levels',
  'api /me scopes': 'as many as there are levels',
  'api /account scopes': 'as many as there are levels',
  'api /builds/:build_id failure.log_excerpt_lines': theLog,
  'api /builds/:build_id/wait failure.log_excerpt_lines': theLog,
  'api /builds/:build_id/failure failure.log_excerpt_lines': theLog,
  'api /builds/:build_id/failure next': 'the program suggests a few requests',
  'api /rentals/:rental_id current_build.failure.log_excerpt_lines': theLog,
  'api /rentals/:rental_id setup.runtimes': ofTier,
  'api /rentals/:rental_id setup.tools': ofTier,
  'api /rentals/:rental_id setup_options.xcode': ofTier,
  'api /rentals/:rental_id setup_options.runtimes': ofTier,
  'api /rentals/:rental_id setup_options.tools': ofTier,
  'api /webhooks/:webhook_id events': 'as many as there are events',
  'console /v1/session user.confirm_ways': 'as many as there are ways',
  'console /v1/organizations/:org_id/builds/:build_id/events data': 'the newest 200',
  'operator /v1/hosts/:host_id conditions': 'as many as there are conditions',
  'operator /v1/hosts/:host_id connections': 'the last 20',
  'operator /v1/hosts/:host_id reasons': 'of its state, and of each condition at most two',
  'operator /v1/images/:tier offers.xcodes': ofTier,
  'operator /v1/images/:tier offers.runtimes': ofTier,
  'operator /v1/images/:tier offers.tools': ofTier,
  'operator /v1/images/:tier hosts': 'the hosts of one tier, each with its last pull',
  'operator /v1/notices open': 'as many as hosts and capacity have problems',
  'operator /v1/notices notices': '`newest`, at most list_limit_max',
  'operator /v1/notices/:notice_id problems': 'of one kind, that began at about the same time',
  'operator /v1/notices/:notice_id mails': 'one for each operator',
  'operator /v1/organizations/:org_id limits': 'as many as can be set for an account',
  'operator /v1/orders/:order_no refunds': 'of one payment',
  'operator /v1/orders/:order_no settlements': 'of one payment and its refunds',
  'operator /v1/organizations/:org_id/credit entries': 'the latest 10',
  'operator /v1/settlements payments': 'at most 200',
  'operator /v1/processes processes': 'at most 1,000',
  'operator /v1/unreadable-secrets unreadable': 'at most 1,000',
  'operator /v1/throughput steps': 'its range has at most 400',
};

interface Definition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, unknown>>;
  readonly innerType?: unknown;
  readonly out?: unknown;
  readonly left?: unknown;
  readonly right?: unknown;
  readonly options?: readonly unknown[];
}

/** Returns where a shape has arrays that are not in entries of another. */
function arraysIn(shape: unknown, at: readonly string[] = []): string[] {
  if (Array.isArray(shape)) return shape.flatMap((one) => arraysIn(one, at));
  const def = (shape as { def?: Definition } | null)?.def;
  if (def === undefined) return [];
  if (def.type === 'array') return [at.join('.')];
  const named = Object.entries(def.shape ?? {}).flatMap(([name, inner]) => arraysIn(inner, [...at, name]));
  const inner = [def.innerType, def.out, def.left, def.right, ...(def.options ?? [])];
  return [...named, ...inner.flatMap((one) => arraysIn(one, at))];
}

t.test('every list is paged, or bounded by a limit', async (t) => {
  const h = await startHarness(t);
  const whole = new Set<string>();
  const paged: string[] = [];
  for (const api of ['api', 'console', 'operator'] as const) {
    for (const { method, path, query, responses } of h[api].routes) {
      if (method !== 'GET') continue;
      const parameters = (query as { def?: Definition } | undefined)?.def?.shape ?? {};
      const answers = Object.entries(responses).filter(([status]) => Number(status) < 300);
      for (const field of answers.flatMap(([, shape]) => arraysIn(shape))) {
        const name = `${api} ${path} ${field}`;
        if ('limit' in parameters) paged.push(name);
        else whole.add(name);
      }
    }
  }
  const known = { ...bounded, ...fixed };
  for (const name of whole) t.ok(Object.hasOwn(known, name), `${name} is paged, or has a row here`);
  t.same(
    Object.keys(known).filter((name) => !whole.has(name)),
    [],
    'every row is about a list',
  );
  for (const [name, limit] of Object.entries(bounded)) t.ok(limit in limitTable, `${name}: ${limit}`);
  for (const name of [
    'api /rentals rentals',
    'api /builds builds',
    'console /v1/organizations/:org_id/members data',
    'console /v1/organizations/:org_id/audit data',
    'operator /v1/organizations/:org_id/rentals data',
  ]) {
    t.ok(paged.includes(name), name);
  }
});

t.test('the limits of these lists hold', async (t) => {
  const limits = { tiers: 1, enrolment_tokens: 1, organizations_per_person: 1 };
  const h = await startHarness(t, { limits });
  const { tiers, hosts, invites } = h.parts.operatorService;
  const priced = { priceWon: 1_000, defaultXcode: '16.2', xcodeVersions: ['16.2'] };
  await tiers.add('m4', priced);
  await t.rejects(tiers.add('m5', priced), {
    code: 'invalid_request',
    message: 'tier: there can be at most 1 tiers',
  });
  await hosts.createEnrolment({ slots: 1 });
  await t.rejects(hosts.createEnrolment({ slots: 1 }), {
    code: 'invalid_request',
    message: /1 enrollment tokens/,
  });
  await h.clock.advance(h.limits.enrolment_ms);
  await hosts.createEnrolment({ slots: 1 });
  const cookie = await h.signIn('developer', { org: h.other, email: 'carol@example.com' });
  const { acceptUrl } = await invites.create(h.org.id, { email: 'carol@example.com', role: 'admin' }, 'operator');
  const accepted = await h.callConsole('POST', '/v1/invites/accept', {
    key: null,
    headers: { cookie },
    body: { token: acceptUrl.split('#')[1] },
  });
  t.match(accepted.json().error, { code: 'invalid_request', message: /carol@example.com is a member of 1 / });
});

t.test('of an upgrade of many hosts those that need attention are shown', async (t) => {
  const states = ['done', 'done', 'waiting', 'upgrading', 'failed'];
  const hosts = states.map((state, position) => ({
    state,
    host: { hostId: `host_${position}` },
    startedAt: null,
    endedAt: null,
  }));
  const rollout = { soakUntil: null, createdAt: null, endedAt: null };
  const view = (most?: number) => {
    const shown = rolloutView({ rollout, hosts } as never, most);
    return [shown.hosts_total, shown.hosts_done, ...shown.hosts.map(({ state }) => state)];
  };
  t.same(view(), [5, 2, ...states]);
  t.same(view(5), [5, 2, ...states]);
  t.same(view(3), [5, 2, 'failed', 'upgrading', 'waiting']);
});
