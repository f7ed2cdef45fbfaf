// The name of a Mac in requests. Its rule is checked by `macs/app/mac-names.ts`, with an error that says what is wrong.
import { z } from 'zod';
import { LONGEST_MAC_NAME } from '../../../shared/mac-name.js';

/** Far above the longest name with characters of several units, and with space that is removed. */
const MOST_UNITS = 1000;

export const macNameShape = z
  .string()
  .max(MOST_UNITS)
  .meta({
    minLength: 1,
    maxLength: LONGEST_MAC_NAME,
    description:
      `One line of 1 to ${LONGEST_MAC_NAME} characters, which does not begin like an id. ` +
      'Space around it is removed. Unique among the Macs and unpaid orders of the account, whatever its case.',
  });
