// Characters by which text from elsewhere could act on a terminal, or hide from a person what a model reads.

/** A terminal's escape sequence. */
export const ESCAPE_SEQUENCE = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])/g;

/**
 * Controls but tabs and line feeds, formats (BiDi, zero width, tags), lone surrogates, private use, unassigned, fillers and
 * variation selectors.
 */
export const INVISIBLE = /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}]/gu;

/** Characters besides a line feed at which a reader may take a new line to begin. */
export const LINE_SEPARATOR = /[\u2028\u2029]/g;
