// Field definitions of records that are stored in tables. The record's type and the code that reads and writes its
// table (`platform/store/table.ts`) are derived from them. `createdAt` is stored in the column `created_at`.

/** `bool` is stored as 0 or 1, `json` as text, and times as `int` (ms since the epoch). */
type Kind = 'text' | 'int' | 'bool' | 'bytes' | 'json';

/**
 * Where a new record's value comes from: always given, given or else the initial value, or assigned by the database.
 */
type Origin = 'given' | 'initial' | 'assigned';

export class Field<T, O extends Origin = 'given'> {
  readonly kind: Kind;
  readonly nullable: boolean;
  readonly origin: O;
  readonly initial: T | undefined;
  /** For JSON: validates the parsed value and returns it. */
  readonly check: ((value: unknown) => unknown) | undefined;

  constructor(field: Pick<Field<T, O>, 'kind' | 'nullable' | 'origin' | 'initial' | 'check'>) {
    this.kind = field.kind;
    this.nullable = field.nullable;
    this.origin = field.origin;
    this.initial = field.initial;
    this.check = field.check;
  }

  get orNull(): Field<T | null, O> {
    return new Field<T | null, O>({ ...this, nullable: true });
  }

  /** Sets the default value in new records. */
  initially(initial: T): Field<T, 'initial'> {
    return new Field<T, 'initial'>({ ...this, origin: 'initial', initial });
  }

  /** A number that the database assigns to new rows. */
  get assigned(): Field<T, 'assigned'> {
    return new Field<T, 'assigned'>({ ...this, origin: 'assigned' });
  }
}

const field = <T>(kind: Kind, check?: (value: unknown) => T) =>
  new Field<T>({ kind, nullable: false, origin: 'given', initial: undefined, check });

/** @example status: text<BuildStatus>() */
export function text(): Field<string>;
export function text<T extends string>(): Field<T>;
export function text(): Field<string> {
  return field<string>('text');
}
export const int = () => field<number>('int');
export const bool = () => field<boolean>('bool');
export const bytes = () => field<Buffer>('bytes');

/**
 * @param check validates the parsed value and returns it, or throws; omit it if only this program writes the column
 */
export const json = <T>(check?: (value: unknown) => T) => field<T>('json', check);

/** A JSON list of strings. */
export const strings = () => json<readonly string[]>(checkStrings);

/** Returns the value. Throws if it is not a list of strings. */
export function checkStrings(value: unknown): readonly string[] {
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) {
    throw new Error('a column that should hold a list of strings holds something else');
  }
  return value;
}

export type AnyField = Field<unknown, Origin>;
export type Fields = Readonly<Record<string, AnyField>>;

/**
 * @example
 * export const uploadFields = { uploadId: text(), ready: bool(), createdAt: int() };
 * export type Upload = RecordOf<typeof uploadFields>;
 */
export type RecordOf<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends Field<infer T, Origin> ? T : never;
};

type NamesOf<F extends Fields, O extends Origin> = {
  [K in keyof F]: F[K] extends Field<infer _, O> ? K : never;
}[keyof F];

/** Required and optional values of a new record. */
export type NewOf<F extends Fields> = Pick<RecordOf<F>, NamesOf<F, 'given'>> &
  Partial<Pick<RecordOf<F>, NamesOf<F, 'initial'>>>;
