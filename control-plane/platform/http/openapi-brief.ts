// The brief OpenAPI document, served by default: the operations, fields and codes of the full one, with the first sentence
// of each text, without titles, and without what the rules in its introduction already say.
import { isObject } from '../../../shared/is-object.js';
import type { Json } from './json-schema.js';

/** @returns a copy */
export function inBrief(document: Json): Json {
  return brief(document) as Json;
}

/** @param isSent in the body of a request: what must be sent is always listed */
function brief(node: unknown, isSent = false): unknown {
  if (Array.isArray(node)) return node.map((item) => brief(item, isSent));
  if (!isObject(node)) return node;
  const result: Json = {};
  for (const [name, value] of Object.entries(withoutMeanings(node))) {
    if (isLeftOut(name, value, node)) continue;
    const isText = (name === 'description' || name === 'summary') && typeof value === 'string';
    result[name] = isText ? firstSentence(value) : brief(value, isSent || name === 'requestBody');
  }
  if (result.type === 'object' && isObject(node.properties)) delete result.type;
  const { required } = node;
  const all = !isSent && isObject(node.properties) && Array.isArray(required);
  if (all && required.length === Object.keys(node.properties as Json).length) delete result.required;
  return result;
}

/**
 * Leaves out what is said elsewhere: titles (by the name), that a field is not allowed (in the introduction), and that
 * an operation is retired (`deprecated`).
 */
const isLeftOut = (name: string, value: unknown, node: Json): boolean =>
  (name === 'title' && typeof value === 'string') ||
  (name === 'additionalProperties' && value === false) ||
  (name === 'summary' && node.deprecated === true);

/** Returns the text up to its first period before a space, without the period. A text of paragraphs stays whole. */
function firstSentence(text: string): string {
  if (text.includes('\n')) return text;
  const [first = text] = text.split('. ', 1);
  return first.replace(/\.$/, '');
}

/** An object with a code and its sentence need not say what each code means. */
function withoutMeanings(node: Json): Json {
  if (!isObject(node.properties)) return node;
  const { code, text } = node.properties as { code?: Json; text?: Json };
  if (!isObject(code) || !isObject(text)) return node;
  const { 'x-enum-descriptions': _, ...rest } = code;
  return { ...node, properties: { ...node.properties, code: rest } };
}
