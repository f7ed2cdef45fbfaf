// Which fields of a body the reference calls required, and which the service demands.
import t from 'tap';
import { startHarness } from '../harness/harness.js';

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
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

t.test('a field is marked as required if a body without it is refused', async (t) => {
  const { call } = await startHarness(t);
  const compared = new Set<string>();
  for (const form of ['brief', 'full']) {
    const query = form === 'full' ? '?form=full' : '';
    const document: Json = (await call('GET', `/openapi.json${query}`)).json();
    for (const [path, methods] of Object.entries(asObject(document.paths))) {
      for (const [method, operation] of Object.entries(asObject(methods))) {
        const content = asObject(asObject(asObject(operation).requestBody).content);
        const schema = asObject(content['application/json']).schema;
        if (!isObject(schema) || 'servers' in asObject(methods) || Object.keys(content).length > 1) continue;
        const url = path.replace(/\{\w+\}/g, 'none');
        const answer = await call(method.toUpperCase() as 'POST', url, { body: {} });
        const { fields } = asObject(answer.json().error ?? answer.json().error_detail);
        if (answer.statusCode !== 400 || !Array.isArray(fields)) continue;
        const missing = fields.map(({ path: field }) => String(field)).filter((field) => field !== '');
        t.same(requiredOf(document, schema), [...new Set(missing)].sort(), `${form}: ${method} ${path}`);
        compared.add(`${form} ${method} ${path}`);
      }
    }
  }
  t.ok(compared.has('brief patch /builds/{build_id}'));
  t.ok(compared.size > 12, [...compared].join(', '));
});
