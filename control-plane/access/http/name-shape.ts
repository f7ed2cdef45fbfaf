// Names that other people read: of people, organizations and keys.

import { z } from 'zod';
import { visibleText } from '../../../shared/clean-text.js';
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import type { Limits } from '../../platform/domain/limits.js';
import { because } from '../../platform/http/issue-problem.js';

/** Characters that end a line, control a terminal, or reorder the text around them. */
const MISLEADING = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

export const nameShape = (limits: Pick<Limits, 'name_chars'>) =>
  z
    .string()
    .transform((text) => text.trim().normalize('NFC'))
    .refine((text) => visibleText(text).trim() !== '', because(fieldProblem('required')))
    .refine((text) => text.length <= limits.name_chars, because(fieldProblem('too_long', { most: limits.name_chars })))
    .refine((text) => !MISLEADING.test(text), because(fieldProblem('control_characters')));
