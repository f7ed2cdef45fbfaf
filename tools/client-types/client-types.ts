// Generates client/types.ts: every request and response body available to a key, named as in the reference.
import { isObject } from '../../shared/is-object.js';
import type { Documents } from './documents.js';
import { comment, meanings, propertiesText, propertyText, textOf, typeText } from './print-type.js';
import { listOf, operationsOf, type ReferenceOperation } from './reference-operations.js';
import { at, type Json, nameOf, namesIn } from './schema.js';

const HEADER = `// Generated, do not edit: \`npm run generate\` makes this file from the reference that the service answers with.
// Money is integer won, VAT included; times are ISO 8601 text in UTC; names that end in _s are seconds.
`;

/** Interfaces that extend another one, without some of its fields. Only for shorter output. */
const additions: Readonly<Record<string, readonly [base: string, ...without: string[]]>> = {
  RentedMac: ['AgentMac'],
  RentalDetail: ['RentedMac'],
  CreatedBuild: ['Build'],
  ListedBuild: ['Build', 'script'],
  Secret: ['ListedSecret'],
  RevealedWebhook: ['Webhook'],
  NewApiKey: ['ApiKey'],
  NewInvite: ['Invite'],
  TopUpPayment: ['TopUp'],
  TopUpDetail: ['TopUpPayment'],
  FleetHostDetail: ['FleetHost'],
  HostMacProblem: ['MacProblem'],
  OperatorAuditEntry: ['AuditEntry'],
  OperatorOrderDetail: ['OperatorOrder'],
};

/** @throws Error when a name has different schemas in two APIs, or an extension lacks fields of its base */
export function clientTypes({ api, console, operator }: Documents): string {
  const documents = [api, console, operator];
  const operations = operationsOf({ api, console, operator });
  const components = documents.map((one) => at(one, 'components', 'schemas')).reduce(merged);
  const uses = usesOf(operations);
  const done = new Set<string>();
  const texts: string[] = [];
  const print = (name: string) => {
    if (done.has(name)) return;
    done.add(name);
    const [base] = additions[name] ?? [];
    if (base !== undefined) print(base);
    texts.push(declaration(name, components, uses.get(name) ?? []));
    for (const inner of namesIn(components[name])) print(inner);
  };
  for (const operation of operations) {
    const { body, answers } = operation;
    for (const name of namesIn([body, answers.filter(([status]) => status < '4')])) print(name);
    if (operation.query !== null) texts.push(queryText(operation, operation.query));
  }
  for (const name of namesIn([operations.map(({ answers }) => answers), at(api, 'components', 'pathItems')]))
    print(name);
  print('WebhookEvent');
  texts.push(operatorOperations(operations));
  return [HEADER, ...texts].join('\n');
}

/** The changes of operators: each is a POST request, whose path is its name. */
function operatorOperations(all: readonly ReferenceOperation[]): string {
  const lines = all
    .filter(({ api, method }) => api === 'operator' && method === 'POST')
    .map(({ path, json, answers }) => {
      const name = path.replace('/v1/', '').replaceAll('/', '.');
      const [, answer] = answers.find(([status]) => status < '4') ?? [];
      return `'${name}': { input: ${typeText(json)}; answer: ${typeText(answer)} };\n`;
    });
  return `/** Changes of operators: the body and answer of \`POST /v1/NOUN/VERB\` of the operator API, by name. */\nexport interface OperatorOperations {\n${lines.join('')}}\n`;
}

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
function usesOf(operations: readonly ReferenceOperation[]): Map<string, Use[]> {
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
  // An object or null has its `type` in a list.
  if (!isObject(schema.properties) || Array.isArray(schema.type))
    return `${about}export type ${name} = ${typeText(schema)};\n`;
  const [base, ...without] = additions[name] ?? [];
  if (base === undefined && at(schema, 'additionalProperties') === schema.additionalProperties) {
    return `${about}export interface ${name} ${typeText(schema)}\n`;
  }
  if (base === undefined) return `${about}export interface ${name} {\n${propertiesText(schema, [])}}\n`;
  const inherited = inheritedNames(name, base, without, components);
  const kept = without.length === 0 ? base : `Omit<${base}, ${without.map((field) => `'${field}'`).join(' | ')}>`;
  const heading = `${name} extends ${kept}`;
  return `${about}export interface ${heading} {\n${propertiesText(schema, inherited)}}\n`;
}

function inheritedNames(name: string, base: string, without: readonly string[], components: Json): string[] {
  const own = at(components, name, 'properties');
  const theirs = Object.entries(at(components, base, 'properties')).filter(([key]) => !without.includes(key));
  const missing = theirs.filter(([key, value]) => JSON.stringify(own[key]) !== JSON.stringify(value));
  if (missing.length > 0) throw new Error(`${name} does not hold ${missing.map(([key]) => `${base}.${key}`)}`);
  return theirs.map(([key]) => key);
}

function queryText({ title, parameters }: ReferenceOperation, name: string): string {
  const lines = parameters.map(({ name: key, schema, description, required }) =>
    propertyText(String(key), isObject(schema) ? { ...schema, description } : schema, required === true),
  );
  return `${comment(`Query of \`${title}\``)}export interface ${name} {\n${lines.join('')}}\n`;
}
