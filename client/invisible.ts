// Characters that could control a terminal, or hide text from a person that a model reads.

/** A terminal's escape sequence. */
export const ESCAPE_SEQUENCE = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])/g;

/**
 * Controls except tab and line feed, format characters (BiDi, zero width, tags), lone surrogates, private use, unassigned, fillers and
 * variation selectors.
 */
export const INVISIBLE = /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}]/gu;

/** Characters besides line feed that some programs treat as line breaks. */
export const LINE_SEPARATOR = /[\u2028\u2029]/g;
