// Readers of option values; a value they refuse is a usage error.
import { InvalidArgumentError } from 'commander';

/** A whole number from `min` to `max`. */
export function integerOption(min: number, max: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (/^\d+$/.test(value) && number >= min && number <= max) return number;
    throw new InvalidArgumentError(`Give a whole number from ${min} to ${max}.`);
  };
}

export function priorityOption(value: string): 0 | 1 {
  if (value === '0') return 0;
  if (value === '1') return 1;
  throw new InvalidArgumentError('Give 0, or 1 to go before others.');
}
