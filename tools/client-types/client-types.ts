// Generates client/types.ts: every request and response body available to a key, named as in the reference.
import type { Documents } from './documents.js';
import { comment, meanings, propertiesText, propertyText, textOf, typeText } from './print-type.js';
import { at, isObject, type Json, nameOf, namesIn } from './schema.js';

const HEADER = `// Generated, do not edit: \`npm run generate\` makes this file from the reference that the service answers with.
// Money is integer won, VAT included; times are ISO 8601 text in UTC; names that end in _s are seconds.
`;

/** Interfaces that extend another one. Only for shorter output. */
const additions: Readonly<Record<string, string>> = {
  RentedMac: 'AgentMac',
  RentalDetail: 'RentedMac',
  CreatedBuild: 'Build',
  Secret: 'ListedSecret',
  RevealedWebhook: 'Webhook',
};

/** Query parameters that have a named type in the client. */
const filters: Readonly<Record<string, string>> = {
  'GET /orders': 'OrderFilter',
  'GET /builds': 'BuildFilter',
  'GET /errors': 'ErrorFilter',
  'GET /webhooks/{webhook_id}/deliveries': 'DeliveryFilter',
  'GET /v1/files': 'FileFilter',
};

interface Operation {
  /** `GET /builds/{build_id}` */
  readonly title: string;
  readonly parameters: readonly Json[];
  readonly body: unknown;
  /** Schemas of its JSON responses, by status. */
  readonly answers: readonly (readonly [string, unknown])[];
}

/** @throws Error when a name has different schemas in two families, or an extension lacks fields of its base */
export function clientTypes({ agent, runner, operator }: Documents): string {
  const documents = [agent, runner, operator];
  const operations = documents.flatMap(operationsOf);
  const components = documents.map((one) => at(one, 'components', 'schemas')).reduce(merged);
  const uses = usesOf(operations);
  const done = new Set<string>();
  const texts: string[] = [];
  const print = (name: string) => {
    if (done.has(name)) return;
    done.add(name);
    const base = additions[name];
    if (base !== undefined) print(base);
    texts.push(declaration(name, components, uses.get(name) ?? []));
    for (const inner of namesIn(components[name])) print(inner);
  };
  for (const { title, parameters, body, answers } of operations) {
    for (const name of namesIn([body, answers.filter(([status]) => status < '4')])) print(name);
    const filter = filters[title];
    if (filter !== undefined) texts.push(filterText(filter, title, parameters));
  }
  for (const name of namesIn([operations.map(({ answers }) => answers), at(agent, 'components', 'pathItems')]))
    print(name);
  print('WebhookEvent');
  return [HEADER, ...texts].join('\n');
}

function operationsOf(document: Json): Operation[] {
  const resolved = (value: unknown): unknown => {
    const { $ref } = isObject(value) ? value : {};
    return typeof $ref === 'string' ? at(document, ...$ref.replace('#/', '').split('/')) : value;
  };
  // Paths with their own `servers` are operations of the other API.
  const own = Object.entries(at(document, 'paths')).filter(
    ([, methods]) => at({ methods }, 'methods').servers === undefined,
  );
  return own.flatMap(([path, methods]) =>
    Object.entries(isObject(methods) ? methods : {})
      // A path item has its parameters next to its methods.
      .filter(([method]) => method !== 'parameters')
      .map(([method, operation]) => ({
        title: `${method.toUpperCase()} ${path}`,
        parameters: listOf(at({ operation }, 'operation').parameters).map(resolved).filter(isObject),
        body: Object.values(at(resolved(at(operation).requestBody), 'content')),
        answers: Object.entries(at(operation, 'responses')).map(
          ([status, response]) => [status, at(resolved(response), 'content', 'application/json', 'schema')] as const,
        ),
      })),
  );
}

const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);

function merged(one: Json, other: Json): Json {
  for (const [name, schema] of Object.entries(one)) {
    const same = other[name] === undefined || JSON.stringify(other[name]) === JSON.stringify(schema);
    if (!same) throw new Error(`both APIs have a ${name}, but not the same`);
  }
  return { ...other, ...one };
}

interface Use {
  readonly as: 'Body' | 'Answer';
  readonly of: string;
}

/** Returns, by schema name, the operations that use it as a whole body or response. */
function usesOf(operations: readonly Operation[]): Map<string, Use[]> {
  const uses = new Map<string, Use[]>();
  const note = (schema: unknown, use: Use) => {
    const name = nameOf(schema);
    if (name !== null) uses.set(name, [...(uses.get(name) ?? []), use]);
  };
  for (const { title, body, answers } of operations) {
    for (const media of listOf(body)) {
      note(media.schema, { as: 'Body', of: title });
      note(at(media, 'schema').contentSchema, { as: 'Body', of: title });
    }
    for (const [status, schema] of answers) if (status < '4') note(schema, { as: 'Answer', of: title });
  }
  return uses;
}

/** A longer list of uses does not help the reader. */
const MOST_USES = 2;

function usesText(uses: readonly Use[]): string | null {
  const [first] = uses;
  if (!first || uses.length > MOST_USES) return null;
  return `${first.as} of ${uses.map((use) => `\`${use.of}\``).join(' and ')}`;
}

function declaration(name: string, components: Json, uses: readonly Use[]): string {
  const schema = at(components, name);
  const about = comment(textOf(schema), usesText(uses), meanings(schema));
  if (!isObject(schema.properties)) return `${about}export type ${name} = ${typeText(schema)};\n`;
  const base = additions[name];
  if (base === undefined && at(schema, 'additionalProperties') === schema.additionalProperties) {
    return `${about}export interface ${name} ${typeText(schema)}\n`;
  }
  const inherited = base === undefined ? [] : inheritedNames(name, base, components);
  const heading = base === undefined ? name : `${name} extends ${base}`;
  return `${about}export interface ${heading} {\n${propertiesText(schema, inherited)}}\n`;
}

function inheritedNames(name: string, base: string, components: Json): string[] {
  const own = at(components, name, 'properties');
  const theirs = Object.entries(at(components, base, 'properties'));
  const missing = theirs.filter(([key, value]) => JSON.stringify(own[key]) !== JSON.stringify(value));
  if (missing.length > 0) throw new Error(`${name} does not hold ${missing.map(([key]) => `${base}.${key}`)}`);
  return theirs.map(([key]) => key);
}

function filterText(name: string, title: string, parameters: readonly Json[]): string {
  const lines = parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name: key, schema, description, required }) =>
      propertyText(String(key), isObject(schema) ? { ...schema, description } : schema, required === true),
    );
  return `${comment(`Query of \`${title}\``)}export interface ${name} {\n${lines.join('')}}\n`;
}
