// Which requests an account can still make when its records have reached their limit (`account_records_bytes`): reads,
// DELETE, and the rows of this table. All other changes are refused, also those of routes to come.

const frees = 'ends something, so that it can be deleted';
const pays = 'a payment never fails because of the limit';
const reads = 'a read that takes a body';
const keeps = 'a Mac is not lost because of the limit; open orders are few';
const person = 'concerns the person, not the organization';

/** Method and path below the family's root to the reason. */
export const beyondRecordsLimit: Readonly<Record<string, string>> = {
  'POST /quote': reads,
  'POST /rentals/:rental_id/extend/quote': reads,
  'POST /rentals/extend/quote': reads,
  'POST /rentals/:rental_id/extend': keeps,
  'POST /rentals/extend': keeps,
  'POST /builds/:build_id/cancel': frees,

  'POST /v1/jobs/:job_id/artifacts/contents': reads,
  'PATCH /v1/session/user': person,
  'POST /v1/session/password': person,
  'POST /v1/session/confirm': person,
  'POST /v1/organizations/:org_id/notices/:notice_id/read': person,
  'POST /v1/organizations/:org_id/orders/:order_no/pay': pays,
  'POST /v1/organizations/:org_id/orders/:order_no/confirm': pays,
  'POST /v1/organizations/:org_id/orders/:order_no/cancel': frees,
  'POST /v1/organizations/:org_id/topups/:order_id/pay': pays,
  'POST /v1/organizations/:org_id/topups/:order_id/confirm': pays,
  'POST /v1/organizations/:org_id/topups/:order_id/cancel': frees,
  'POST /v1/organizations/:org_id/topups/:order_id/withdraw': pays,
};

interface Route {
  readonly method: string;
  readonly path: string;
  readonly level: string | null;
}

/** Returns the routes with whether they add records, and are refused beyond the limit. */
export const withRecords = <R extends Route>(
  routes: readonly R[],
): (R & { readonly addsRecords: boolean })[] =>
  routes.map((route) => ({ ...route, addsRecords: addsRecords(route) }));

/** Public routes are called by no account. */
const addsRecords = ({ method, path, level }: Route): boolean =>
  level !== null &&
  method !== 'GET' &&
  method !== 'DELETE' &&
  !Object.hasOwn(beyondRecordsLimit, `${method} ${path}`);
