// An enumeration with a description of each value, which appears in the reference and in the client's types.
import { z } from 'zod';

export interface About<V extends string> {
  /** Name in the reference and in the client. */
  readonly id?: string;
  readonly about?: string;
  /** What it is; only for the full reference and the client's types, because its name says the same. */
  readonly title?: string;
  readonly meanings: Readonly<Record<V, string>>;
  /** The values say what they mean: the brief reference leaves their meanings out. */
  readonly plain?: true;
  /** Values may be added later: clients must accept unknown values. */
  readonly open?: true;
}

/**
 * @example
 * const level = enumeration(['low', 'high'], { id: 'Level', meanings: { low: 'below 10', high: '10 or more' } });
 * level.parse('low'); // 'low'; throws ZodError for anything else
 */
export function enumeration<const T extends readonly string[]>(values: T, about: About<T[number]>) {
  return z.enum(values).meta({
    ...(about.id === undefined ? {} : { id: about.id }),
    ...(about.open ? { 'x-open': true } : {}),
    ...(about.plain ? { 'x-plain': true } : {}),
    ...(about.title === undefined ? {} : { title: about.title }),
    ...(about.about === undefined ? {} : { description: about.about }),
    // In the same order as the values.
    'x-enum-descriptions': values.map((value: T[number]) => about.meanings[value]),
  });
}
