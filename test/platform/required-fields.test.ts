// Which fields of a body the reference calls required, and which the service demands.
import t from 'tap';
import { isObject } from '../../shared/is-object.js';
import { startHarness } from '../harness/harness.js';

type Json = Record<string, unknown>;
const asObject = (value: unknown): Json => (isObject(value) ? value : {});

/** Required fields of a schema, of what it refers to and of what it extends. */
function requiredOf(document: Json, schema: Json): string[] {
  const { $ref, allOf, required } = schema;
  const path = typeof $ref === 'string' ? $ref.slice(2).split('/') : [];
  const target = path.reduce<unknown>((at, name) => asObject(at)[name], document);
  const others = [...(path.length > 0 ? [target] : []), ...(Array.isArray(allOf) ? allOf : [])];
  const inherited = others.filter(isObject).flatMap((one) => requiredOf(document, one));
  return [...new Set([...(Array.isArray(required) ? required.map(String) : []), ...inherited])].sort();
}

/** Whether the schema says what the fields are: not of a body that is signed as it stands. */
const says = (schema: Json) => 'properties' in schema || '$ref' in schema || 'allOf' in schema;

t.test('a field is marked as required if a body without it is refused', async (t) => {
  const operatorToken = 'a-long-token-of-the-operator';
  const h = await startHarness(t, { operatorToken });
  const cookie = await h.signIn('owner', { operator: true });
  const byKey = { authorization: `Bearer ${h.keys.all}` };
  const apis = [
    { root: '/api/v1', headers: byKey },
    { root: '/api/runner', headers: { cookie, origin: h.siteUrl } },
    { root: '/api/operator', headers: { authorization: `Bearer ${operatorToken}` } },
  ];
  const compared = new Set<string>();
  for (const { root, headers } of apis) {
    for (const form of ['brief', 'full']) {
      const query = form === 'full' ? '?form=full' : '';
      const document: Json = (await h.inject({ url: `${root}/openapi.json${query}`, headers })).json();
      for (const [path, methods] of Object.entries(asObject(document.paths))) {
        for (const [method, operation] of Object.entries(asObject(methods))) {
          const content = asObject(asObject(asObject(operation).requestBody).content);
          const schema = asObject(content['application/json']).schema;
          if (!isObject(schema) || !says(schema) || 'servers' in asObject(methods) || Object.keys(content).length > 1)
            continue;
          const answer = await h.inject({
            method: method.toUpperCase() as 'POST',
            url: root + path.replace('{org_id}', h.org.orgId).replace(/\{\w+\}/g, 'none'),
            headers: { ...headers, 'content-type': 'application/json', 'service-error-format': '2' },
            payload: '{}',
          });
          const error = asObject(asObject(answer.json()).error);
          const { fields } = { ...error, ...asObject(error.details) };
          // Others are refused for another reason, such as that one of two fields is needed.
          const isMissing = /required/.test(String(error.message));
          if (answer.statusCode !== 400 || !Array.isArray(fields) || !isMissing) continue;
          const missing = fields
            .map((field) => String(isObject(field) ? field.path : field))
            .filter((field) => field !== '');
          const title = `${form}: ${method} ${root}${path}`;
          t.same(requiredOf(document, schema), [...new Set(missing)].sort(), title);
          compared.add(`${form} ${method} ${root}${path}`);
        }
      }
    }
  }
  t.ok(compared.has('brief patch /api/v1/builds/{build_id}'));
  for (const { root } of apis) {
    t.ok(
      [...compared].some((one) => one.includes(` ${root}/`)),
      `${root}: ${[...compared].join(', ')}`,
    );
  }
  t.ok(compared.size > 30, [...compared].join(', '));
});
