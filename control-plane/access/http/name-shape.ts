// Names that other people read: of people, organizations and keys.
import { z } from 'zod';
import { visibleText } from '../../../shared/clean-text.js';
import type { Limits } from '../../platform/domain/limits.js';

/** Characters that end a line, control a terminal, or reorder the text around them. */
const MISLEADING = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

export const nameShape = (limits: Pick<Limits, 'name_chars'>) =>
  z
    .string()
    .transform((text) => text.trim().normalize('NFC'))
    .refine((text) => visibleText(text).trim() !== '' && text.length <= limits.name_chars, {
      message: `expected 1 to ${limits.name_chars} characters`,
    })
    .refine((text) => !MISLEADING.test(text), 'control characters are not allowed');
