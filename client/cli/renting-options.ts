// Options and values that several of the renting commands take.
import { Option } from 'commander';
import type { When } from '../types.js';
import { argumentReader } from './declare-options.js';
import { type ValueReader, wholeNumber } from './options.js';

/** An upper bound for typing errors; the service has its own limit. */
const MANY = 10_000;

export const count = argumentReader(wholeNumber(1, MANY));

/** `a,b`; nothing is an empty list. */
const commaList: ValueReader<string[]> = {
  hint: 'Give names with commas between them.',
  read(text) {
    const names = text === '' ? [] : text.split(',').map((name) => name.trim());
    return names.includes('') ? null : names;
  },
};
export const names = argumentReader(commaList);

export const daysOption = () => new Option('--days <days>', 'days to rent; a day is 24 hours').argParser(count);

/** What arguments that are Macs say of themselves. */
export const MAC = 'name of the Mac, or its id (rt_…)';
export const MACS = 'names of Macs, or their ids (rt_…)';

/** What every change of a Mac takes. */
export interface ChangeOptions {
  when?: When;
  wait?: boolean;
  yes?: boolean;
}

export const whenOption = () =>
  new Option(
    '--when <when>',
    'with a running build: wait for its end, or cancel it now (default: refuse the change)',
  ).choices(['after_build', 'now']);

export const waitOption = () => new Option('--wait', 'wait until the change is done');

export const yesOption = () => new Option('-y, --yes', 'do not ask for confirmation');
