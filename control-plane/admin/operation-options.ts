// The options of a command, made of the input shape of its operation.
import { type Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { parseIsoTime } from '../platform/domain/iso-time.js';

interface Field {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly const?: unknown;
  readonly items?: Field;
  readonly anyOf?: readonly Field[];
  readonly additionalProperties?: unknown;
  readonly format?: string;
}

/**
 * Adds an option for each field of the shape that is no argument: `price_won` is `--price-won <n>`. A flag is false without it; a list
 * is separated by commas; a record is given as `key=value`, several times (an empty value is null).
 *
 * @param names of fields that are arguments of the command, or come from elsewhere
 */
export function addFieldOptions(command: Command, shape: z.ZodObject, names: readonly string[]): void {
  const { properties = {}, required = [] } = schemaOf(shape);
  for (const [name, field] of Object.entries(properties)) {
    if (names.includes(name)) continue;
    const option = optionOf(name, field);
    // One with a default has it from the service.
    option.makeOptionMandatory(required.includes(name) && field.default === undefined);
    command.addOption(option);
  }
}

/** Returns the input of the operation from the options of the command. */
export function fieldValues(shape: z.ZodObject, options: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const names = Object.keys(schemaOf(shape).properties ?? {});
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = options[optionOf(name, {}).attributeName()];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, Field>>;
  readonly required?: readonly string[];
}

const schemas = new WeakMap<z.ZodObject, ObjectSchema>();

function schemaOf(shape: z.ZodObject): ObjectSchema {
  const known = schemas.get(shape);
  if (known) return known;
  const schema = z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any', target: 'draft-2020-12' });
  schemas.set(shape, schema as ObjectSchema);
  return schema as ObjectSchema;
}

/** @example optionFlag('price_won') // '--price-won' */
export const optionFlag = (name: string): string => `--${name.replaceAll('_', '-')}`;

function optionOf(name: string, field: Field): Option {
  const flag = optionFlag(name);
  const { description = '' } = field;
  const text = description.charAt(0).toLowerCase() + description.slice(1);
  const kind = kindOf(field);
  if (kind === 'flag') return new Option(flag, text);
  const option = new Option(`${flag} ${placeholders[kind]}`, text);
  if (kind === 'choice') return option.choices(field.enum ?? []);
  return option.argParser(parsers[kind]);
}

type Kind = 'flag' | 'boolean' | 'number' | 'list' | 'list or word' | 'record' | 'choice' | 'time' | 'text';

function kindOf({ type, anyOf, enum: values, default: byDefault, const: only, format }: Field): Kind {
  if (type === 'boolean') return byDefault === false || only === true ? 'flag' : 'boolean';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'array') return 'list';
  if (type === 'object') return 'record';
  if (anyOf?.some((one) => one.type === 'array')) return 'list or word';
  if (format === 'date-time') return 'time';
  return values ? 'choice' : 'text';
}

const placeholders: Record<Exclude<Kind, 'flag'>, string> = {
  boolean: '<true|false>',
  number: '<n>',
  list: '<a,b>',
  'list or word': '<a,b>',
  record: '<key=value>',
  choice: '<value>',
  time: '<time>',
  text: '<text>',
};

/** Separated by commas. */
export const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

const parsers: Record<Exclude<Kind, 'flag' | 'choice'>, (text: string, before: unknown) => unknown> = {
  boolean(text) {
    if (text !== 'true' && text !== 'false') throw new InvalidArgumentError('expected true or false.');
    return text === 'true';
  },
  number(text) {
    if (!/^-?\d{1,15}(\.\d{1,9})?$/.test(text)) throw new InvalidArgumentError('expected a number.');
    return Number(text);
  },
  list: listOf,
  'list or word': (text) => (text === 'auto' ? text : listOf(text)),
  record(text, before) {
    const [key = '', value] = text.split(/=(.*)/s);
    if (key === '' || value === undefined) throw new InvalidArgumentError('expected KEY=VALUE.');
    return { ...(before as object), [key]: value === '' ? null : value };
  },
  time(text) {
    if (parseIsoTime(text) === null) throw new InvalidArgumentError('expected an ISO 8601 time.');
    return text;
  },
  text: (text) => text,
};

/** Parses the value of an option. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('expected a whole number.');
  return Number(text);
}
