// Colors and styles of terminal output (SGR).

/** A color: 0 to 255 of the palette, or RGB. */
export type Color = number | { readonly rgb: readonly [number, number, number] };

export interface Style {
  readonly fg?: Color;
  readonly bg?: Color;
  readonly bold?: true;
  readonly dim?: true;
  readonly italic?: true;
  readonly underline?: true;
  readonly inverse?: true;
  readonly strike?: true;
}

export const PLAIN: Style = {};

/** In a line with more sequences only the last ones count for the lines after it. */
const MOST_SEQUENCES = 100;

/** The style after a line, without its text. Faster than `readLine` for lines that nobody sees. */
export function styleAfter(text: string, start: Style): Style {
  if (!text.includes('\x1b') && !text.includes('\x9b')) return start;
  let from = text.length;
  for (let found = 0; found < MOST_SEQUENCES && from > 0; ) {
    const code = text.charCodeAt(--from);
    if (code === 0x1b || code === 0x9b) found++;
    // What comes before a reset does not matter.
    if (code === 0x1b && (text.startsWith('[0m', from + 1) || text.startsWith('[m', from + 1))) break;
  }
  let style = start;
  for (const [, parameters = ''] of text.slice(from).matchAll(/(?:\x1b\[|\x9b)([0-;]*)m/g))
    style = styled(style, parameters);
  return style;
}

type Change = (style: Style) => Style;
const set =
  (change: Style): Change =>
  (style) => ({ ...style, ...change });
const unset =
  (...names: (keyof Style)[]): Change =>
  (style) =>
    Object.fromEntries(Object.entries(style).filter(([name]) => !names.includes(name as keyof Style)));

const changes: Readonly<Record<number, Change>> = {
  0: () => PLAIN,
  1: set({ bold: true }),
  2: set({ dim: true }),
  3: set({ italic: true }),
  4: set({ underline: true }),
  7: set({ inverse: true }),
  9: set({ strike: true }),
  21: set({ underline: true }),
  22: unset('bold', 'dim'),
  23: unset('italic'),
  24: unset('underline'),
  27: unset('inverse'),
  29: unset('strike'),
  39: unset('fg'),
  49: unset('bg'),
};

/** Known styles after each style: programs use few, and the same ones again and again. */
let known = new WeakMap<Style, Map<string, Style>>();
let knownCount = 0;
const MOST_KNOWN = 10_000;
const LONGEST_KNOWN = 40;

/**
 * Returns the same object for the same change, mostly.
 *
 * @param parameters of a sequence that ends with `m`, e.g. `1;38;5;208` or `38:2::255:0:0`
 */
export function styled(style: Style, parameters: string): Style {
  const found = known.get(style)?.get(parameters);
  if (found) return found;
  const next = changed(style, parameters);
  if (parameters.length > LONGEST_KNOWN) return next;
  if (knownCount++ > MOST_KNOWN) {
    known = new WeakMap();
    knownCount = 0;
  }
  const after = known.get(style) ?? new Map<string, Style>();
  known.set(style, after.set(parameters, next));
  return next;
}

function changed(style: Style, parameters: string): Style {
  const parts = parameters.split(';');
  let next = style;
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i] ?? '';
    const own = part.split(':');
    const code = own[0] === '' ? 0 : Number(own[0]);
    if (code === 38 || code === 48) {
      const isList = own.length > 1;
      const rest = isList ? own.slice(1) : parts.slice(i + 1);
      const found = colorIn(rest.map(Number), isList);
      if (!isList) i += found.used;
      if (found.color !== null) next = { ...next, [code === 38 ? 'fg' : 'bg']: found.color };
    } else if (own.length > 1) {
      if (code === 4) next = Number(own[1]) === 0 ? unset('underline')(next) : { ...next, underline: true };
    } else if (code >= 30 && code <= 37) next = { ...next, fg: code - 30 };
    else if (code >= 40 && code <= 47) next = { ...next, bg: code - 40 };
    else if (code >= 90 && code <= 97) next = { ...next, fg: code - 82 };
    else if (code >= 100 && code <= 107) next = { ...next, bg: code - 92 };
    else next = changes[code]?.(next) ?? next;
  }
  return next;
}

const isByte = (value: number | undefined): value is number =>
  value !== undefined && Number.isInteger(value) && value >= 0 && value <= 255;

/** @param isList values after a colon may begin with an empty color space */
function colorIn(values: readonly number[], isList: boolean): { color: Color | null; used: number } {
  if (values[0] === 5) return { color: isByte(values[1]) ? values[1] : null, used: 2 };
  if (values[0] !== 2) return { color: null, used: 1 };
  const from = isList && values.length > 4 ? 2 : 1;
  const [red, green, blue] = values.slice(from, from + 3);
  const rgb = isByte(red) && isByte(green) && isByte(blue) ? ([red, green, blue] as const) : null;
  return { color: rgb && { rgb }, used: 4 };
}
