// Prints a JSON schema as a TypeScript type with comments. The formatter does the layout.
import { isObject } from '../../shared/is-object.js';
import { type Json, nameOf } from './schema.js';

/** Returns a doc comment: sentences joined into one line, followed by lists. */
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
  return lines.length === 1 ? `/** ${lines[0]} */\n` : `/**\n${lines.map((l) => ` * ${l}`).join('\n')}\n */\n`;
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

/** Returns the text of a type, such as `{ a: string; b?: Mac | null }`. */
export function typeText(schema: unknown): string {
  if (!isObject(schema)) return 'unknown';
  const name = nameOf(schema);
  if (name !== null) return name;
  const variants = [schema.anyOf, schema.oneOf].find(Array.isArray);
  if (variants) return union(variants.map(typeText));
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return union(schema.enum.map((value) => JSON.stringify(value)));
  const known = schema['x-extensible-enum'];
  // An open enumeration: editors suggest the known values, and the compiler accepts any other.
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

/** Returns the lines between the braces. @param without names inherited from another interface */
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

/** Returns the description of a value, the descriptions of its variants other than null, and its bounds. */
function about(schema: unknown): (string | null)[] {
  if (!isObject(schema)) return [];
  const own = textOf(schema);
  const variants = [schema.anyOf, schema.oneOf].find(Array.isArray)?.filter(isObject) ?? [];
  const inner = variants.flatMap((variant) => (nameOf(variant) === null ? about(variant) : []));
  return [own, meanings(schema), ...inner, bounds(schema)];
}

/** Returns what the schema is, and what it says about it; null if neither. */
export function textOf({ title, description }: Json): string | null {
  const texts = [title, description].filter((text) => typeof text === 'string');
  return texts.length === 0 ? null : texts.join('. ');
}

/** Returns a list of the meaning of each value of an enumeration. */
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
