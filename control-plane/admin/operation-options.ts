// The options of a command, made of the input shape of its operation.
import { type Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { parseIsoTime } from '../platform/domain/iso-time.js';

interface Field {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly const?: unknown;
  readonly items?: Field;
  readonly anyOf?: readonly Field[];
  readonly additionalProperties?: Field;
  readonly format?: string;
}

export interface FieldChoice {
  /** Fields that are arguments of the command, or come from elsewhere. */
  readonly without?: readonly string[];
  /** Before the name of each option. @example { prefix: 'of' } // tier: --of-tier */
  readonly prefix?: string;
}

/**
 * Returns an option for each field of the shape: `price_won` is `--price-won <n>`. A flag is false without it; a list is
 * separated by commas; a record is given as `key=value`, several times, so that `labels` is `--label`.
 */
export function fieldOptions(shape: z.ZodObject, choice: FieldChoice = {}): Option[] {
  const { required = [] } = schemaOf(shape);
  return fieldsOf(shape, choice).map(([name, field]) =>
    // One with a default has it from the service.
    optionOf(name, field, choice).makeOptionMandatory(required.includes(name) && field.default === undefined),
  );
}

export function addFieldOptions(command: Command, shape: z.ZodObject, choice?: FieldChoice): Command {
  for (const option of fieldOptions(shape, choice)) command.addOption(option);
  return command;
}

/** Returns the fields that the options of the command give. */
export function fieldValues<Shape extends z.ZodObject>(
  shape: Shape,
  options: Readonly<Record<string, unknown>>,
  choice: FieldChoice = {},
): Partial<z.input<Shape>> {
  const given = fieldsOf(shape, choice).map(([name, field]) => {
    const value = options[optionOf(name, field, choice).attributeName()];
    return [name, field.additionalProperties && value ? recordOf(value, field.additionalProperties) : value] as const;
  });
  return Object.fromEntries(given.filter(([, value]) => value !== undefined)) as Partial<z.input<Shape>>;
}

/** An empty value is null in a record that may hold null. */
function recordOf(value: object, { type = [] }: Field): object {
  const holdsNull = [type].flat().includes('null');
  return Object.fromEntries(Object.entries(value).map(([key, text]) => [key, text === '' && holdsNull ? null : text]));
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

const fieldsOf = (shape: z.ZodObject, { without = [] }: FieldChoice) =>
  Object.entries(schemaOf(shape).properties ?? {}).filter(([name]) => !without.includes(name));

/** @example optionFlag('price_won') // '--price-won' */
export function optionFlag(name: string, shape?: z.ZodObject): string {
  const field = shape && schemaOf(shape).properties?.[name];
  return flagOf(name, field ? kindOf(field) : 'text');
}

const flagOf = (name: string, kind: Kind, prefix?: string): string =>
  `--${prefix === undefined ? '' : `${prefix}-`}${(kind === 'record' ? name.replace(/s$/, '') : name).replaceAll('_', '-')}`;

function optionOf(name: string, field: Field, { prefix }: FieldChoice): Option {
  const kind = kindOf(field);
  const flag = flagOf(name, kind, prefix);
  const text = descriptionOf(field, kind);
  if (kind === 'flag') return new Option(flag, text);
  const option = new Option(`${flag} ${placeholders[kind]}`, text);
  if (kind === 'choice') return option.choices(field.enum ?? []);
  return option.argParser(parsers[kind]);
}

function descriptionOf({ description = '', default: byDefault }: Field, kind: Kind): string {
  const text = description.charAt(0).toLowerCase() + description.slice(1);
  if (kind === 'record') return `${text}; can be given several times`;
  return typeof byDefault === 'number' ? `${text} (default: ${byDefault})` : text;
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

/** Collects an option that is given several times. */
export function keyAndValue(text: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const [key = '', value] = text.split(/=(.*)/s);
  if (key === '' || value === undefined) throw new InvalidArgumentError('expected KEY=VALUE.');
  return { ...before, [key]: value };
}

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
  record: (text, before) => keyAndValue(text, before as Record<string, string> | undefined),
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
