// Makes the document smaller: repeated parts become components and are used by reference.
import { isObject } from '../../../shared/is-object.js';
import type { Json } from './json-schema.js';

type Section = 'parameters' | 'responses' | 'requestBodies';

/**
 * Modifies the document: equal parameters, responses and request bodies become shared components, and a schema that
 * has all fields of another one includes it by `allOf`, as do two with many common fields the component made of these.
 * Yields between steps of the work.
 */
export function* shareRepeated(document: Json): Generator<void, Json, void> {
  const components = asObject(document.components);
  const items = Object.values(asObject(document.paths)).filter(isObject);
  const operations = items.flatMap((item) => Object.values(item)).filter(isObject);
  const share = (section: Section, places: readonly Place[], nameOf: (value: Json) => string | null) => {
    const made = shared(section, places, nameOf);
    if (Object.keys(made).length > 0) components[section] = { ...asObject(components[section]), ...made };
  };
  share(
    'parameters',
    [...items, ...operations].flatMap(({ parameters }) => (Array.isArray(parameters) ? [parameters] : [])),
    ({ name }) => (typeof name === 'string' ? name : null),
  );
  yield;
  share(
    'responses',
    operations.map(({ responses }) => asObject(responses)),
    (value) => {
      const name = schemaName(value);
      return name === null || !('headers' in value) ? name : `${name}Once`;
    },
  );
  share('requestBodies', operations, schemaName);
  yield* shareFields(asObject(components.schemas));
  return document;
}

/** The container of the values: an array of parameters, or an object. */
type Place = Json | unknown[];

function shared(section: Section, places: readonly Place[], nameOf: (value: Json) => string | null): Json {
  const uses = new Map<string, number>();
  const each = (visit: (value: Json, place: Place, key: string) => void) => {
    for (const place of places) {
      for (const [key, value] of Object.entries(place)) {
        if (section === 'requestBodies' && key !== 'requestBody') continue;
        if (isObject(value) && !('$ref' in value)) visit(value, place, key);
      }
    }
  };
  each((value) => {
    const text = JSON.stringify(value);
    uses.set(text, (uses.get(text) ?? 0) + 1);
  });
  const made: Json = {};
  each((value, place, key) => {
    const name = nameOf(value);
    if (name === null || uses.get(JSON.stringify(value)) === 1) return;
    made[name] ??= value;
    // A different value of the same name stays inline.
    if (JSON.stringify(made[name]) !== JSON.stringify(value)) return;
    Object.assign(place, { [key]: { $ref: `#/components/${section}/${name}` } });
  });
  return made;
}

const asObject = (value: unknown): Json => (isObject(value) ? value : {});

/** Returns the component name of a JSON response or body; null if its schema is not a reference. */
function schemaName({ content }: Json): string | null {
  const { schema } = asObject(asObject(content)['application/json']);
  const { $ref } = asObject(schema);
  return typeof $ref === 'string' ? ($ref.split('/').at(-1) ?? null) : null;
}

/** In bytes. For smaller schemas a reference is harder to read than the fields. */
const WORTH_A_REFERENCE = 200;

/** In bytes, of the fields that two schemas share. */
const WORTH_A_BASE = 2_000;

/** Adds `NAMEFields` for two schemas that share many fields, when neither has all fields of the other. */
function* addCommonFields(schemas: Json): Generator<void, void, void> {
  const named = Object.entries(schemas).filter((entry): entry is [string, Json] => isObject(entry[1]));
  for (const [i, [name, schema]] of named.entries()) {
    yield;
    for (const [otherName, other] of named.slice(i + 1)) {
      if (holds(schema, other) || holds(other, schema)) continue;
      const theirs = asObject(other.properties);
      const common = Object.entries(asObject(schema.properties)).filter(
        ([key, value]) =>
          JSON.stringify(theirs[key]) === JSON.stringify(value) && isRequired(schema, key) === isRequired(other, key),
      );
      const properties = Object.fromEntries(common);
      if (JSON.stringify(properties).length < WORTH_A_BASE) continue;
      const required = Object.keys(properties).filter((key) => isRequired(schema, key));
      const base = { type: 'object', properties, required };
      if (Object.values(schemas).some((known) => JSON.stringify(known) === JSON.stringify(base))) continue;
      const shorter = otherName.length < name.length ? otherName : name;
      schemas[`${shorter}Fields`] ??= base;
    }
  }
}

function* shareFields(schemas: Json): Generator<void, void, void> {
  yield* addCommonFields(schemas);
  const whole = new Map(
    Object.entries(schemas).filter(
      (entry): entry is [string, Json] =>
        isObject(entry[1]) && isObject(entry[1].properties) && !('additionalProperties' in entry[1]),
    ),
  );
  for (const [name, schema] of whole) {
    yield;
    const [base] = [...whole]
      .filter(([other, { properties }]) => other !== name && size(properties) < size(schema.properties))
      .filter(([, other]) => holds(schema, other) && JSON.stringify(other).length > WORTH_A_REFERENCE)
      .sort(([, one], [, other]) => size(other.properties) - size(one.properties));
    if (base) schemas[name] = added(schema, base);
  }
}

const size = (properties: unknown) => Object.keys(asObject(properties)).length;
/** If `required` is missing, all fields are required. */
const isRequired = ({ required }: Json, key: string) => !Array.isArray(required) || required.includes(key);

/** Returns whether `schema` has all fields of `other`, with equal schemas and equally required. */
const holds = (schema: Json, other: Json) =>
  Object.entries(asObject(other.properties)).every(
    ([key, value]) =>
      JSON.stringify(asObject(schema.properties)[key]) === JSON.stringify(value) &&
      isRequired(schema, key) === isRequired(other, key),
  );

function added(schema: Json, [base, { properties: theirs }]: [string, Json]): Json {
  const isNew = (key: string) => !Object.hasOwn(asObject(theirs), key);
  const names = Object.keys(asObject(schema.properties)).filter(isNew);
  const required = names.filter((key) => isRequired(schema, key));
  return {
    ...schema,
    allOf: [{ $ref: `#/components/schemas/${base}` }],
    properties: Object.fromEntries(Object.entries(asObject(schema.properties)).filter(([key]) => isNew(key))),
    required: required.length < names.length ? required : undefined,
  };
}
