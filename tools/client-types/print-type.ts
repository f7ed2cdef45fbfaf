// From a JSON schema to the text of a TypeScript type with its comments. The formatter takes care of the layout.
import { isObject, type Json, nameOf } from './schema.js';

/** A comment of sentences that go on in one line, and of lists below them. */
export function comment(...parts: (string | null)[]): string {
  const said = parts.flatMap((part) => (part ?? '').split('\n')).filter((line) => line !== '');
  const lines = [
    said
      .filter((line) => !isItem(line))
      .map(sentence)
      .join(' '),
    ...said.filter(isItem),
  ]
    .filter((line) => line !== '')
    .flatMap((line) => wrapped(line.replaceAll('*/', '*\\/'), WIDTH));
  if (lines.length === 0) return '';
  return lines.length === 1
    ? `/** ${lines[0]} */\n`
    : `/**\n${lines.map((l) => ` * ${l}`).join('\n')}\n */\n`;
}

const WIDTH = 100;

const isItem = (line: string) => line.startsWith('- ');
const sentence = (line: string) => (/[.!?:]$/.test(line) ? line : `${line}.`);

function wrapped(line: string, width: number): string[] {
  const indent = isItem(line) ? '  ' : '';
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(' ')) {
    if (current !== '' && current.length + 1 + word.length > width) {
      lines.push(current);
      current = indent + word;
    } else current = current === '' ? word : `${current} ${word}`;
  }
  return [...lines, current];
}

/** The text of a type, such as `{ a: string; b?: Mac | null }`. */
export function typeText(schema: unknown): string {
  if (!isObject(schema)) return 'unknown';
  const name = nameOf(schema);
  if (name !== null) return name;
  const variants = [schema.anyOf, schema.oneOf].find(Array.isArray);
  if (variants) return union(variants.map(typeText));
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return union(schema.enum.map((value) => JSON.stringify(value)));
  const known = schema['x-extensible-enum'];
  // An open list: an editor offers what is known, and the compiler takes the rest.
  if (Array.isArray(known)) {
    return union([...known.map((value) => JSON.stringify(value)), '(string & {})']);
  }
  if (Array.isArray(schema.type)) {
    return union(schema.type.map((type: unknown) => typeText({ ...schema, type })));
  }
  switch (schema.type) {
    case 'integer':
    case 'number':
      return 'number';
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'array': {
      const item = typeText(schema.items);
      return / \| /.test(item) && !item.startsWith('{') ? `(${item})[]` : `${item}[]`;
    }
    case 'object':
      return objectText(schema);
    default:
      return 'unknown';
  }
}

const union = (texts: readonly string[]) => [...new Set(texts)].join(' | ');

function objectText(schema: Json): string {
  const { properties, additionalProperties } = schema;
  if (isObject(properties) && Object.keys(properties).length > 0) {
    const loose = additionalProperties === undefined || isObject(additionalProperties);
    return `{\n${propertiesText(schema)}${loose && 'additionalProperties' in schema ? '[name: string]: unknown;\n' : ''}}`;
  }
  return `Record<string, ${isObject(additionalProperties) ? typeText(additionalProperties) : 'unknown'}>`;
}

/** The lines between the braces. @param without names that another interface brings */
export function propertiesText(schema: Json, without: readonly string[] = []): string {
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(isObject(schema.properties) ? schema.properties : {})
    .filter(([name]) => !without.includes(name))
    .map(([name, property]) => propertyText(name, property, required.includes(name)))
    .join('');
}

export function propertyText(name: string, property: unknown, required: boolean): string {
  return `${comment(...about(property))}${name}${required ? '' : '?'}: ${typeText(property)};\n`;
}

/** What is said of a value: its own description, that of what it may be besides null, and its bounds. */
function about(schema: unknown): (string | null)[] {
  if (!isObject(schema)) return [];
  const own = typeof schema.description === 'string' ? schema.description : null;
  const variants = [schema.anyOf, schema.oneOf].find(Array.isArray)?.filter(isObject) ?? [];
  const inner = variants.flatMap((variant) => (nameOf(variant) === null ? about(variant) : []));
  return [own, meanings(schema), ...inner, bounds(schema)];
}

/** A list of what each value of an enumeration means. */
export function meanings(schema: Json): string | null {
  const said = schema['x-enum-descriptions'];
  const values = [schema.enum, schema['x-extensible-enum']].find(Array.isArray);
  if (!Array.isArray(said) || !values) return null;
  return said.map((meaning, index) => `- \`${values[index]}\`: ${meaning}`).join('\n');
}

function bounds({ minimum, maximum }: Json): string | null {
  const bounded = typeof minimum === 'number' && typeof maximum === 'number';
  return bounded ? `${minimum} to ${maximum.toLocaleString('en-US')}` : null;
}
