// The colors of a program as the page shows them: readable in both themes (at least 4.5:1), so some differ from the request.
import type { Color, Style } from './sgr.js';

export type Rgb = readonly [number, number, number];

export interface Look {
  /** Names of `log-text.module.css`. */
  readonly classes: readonly string[];
  /** For colors without a class. */
  readonly css: { readonly color?: string; readonly backgroundColor?: string };
}

/** The background of a line against which text has the least contrast: `--log-current` in log-viewer.module.css. */
export const SURFACES: Readonly<Record<'light' | 'dark', Rgb>> = {
  light: [255, 234, 184],
  dark: [64, 51, 12],
};
const LEAST_CONTRAST = 4.6;

/** xterm's 16 colors, for backgrounds and for text on them. */
const BASE: readonly Rgb[] = [
  ...([
    [0, 0, 0],
    [205, 49, 49],
    [13, 158, 89],
    [229, 192, 16],
    [36, 114, 200],
    [188, 63, 188],
  ] as const),
  ...([
    [17, 148, 186],
    [229, 229, 229],
    [102, 102, 102],
    [241, 76, 76],
    [35, 209, 139],
  ] as const),
  ...([
    [245, 245, 67],
    [59, 142, 234],
    [214, 112, 214],
    [41, 184, 219],
    [255, 255, 255],
  ] as const),
];
const BLACK: Rgb = [0, 0, 0];
const WHITE: Rgb = [255, 255, 255];

const looks = new WeakMap<Style, Look>();

/** @example lookOf({ fg: 1, bold: true }) // classes: ['fg1', 'bold'] */
export function lookOf(style: Style): Look {
  const look = looks.get(style) ?? computedLook(style);
  looks.set(style, look);
  return look;
}

function computedLook(style: Style): Look {
  const classes: string[] = [];
  for (const name of ['bold', 'italic', 'underline', 'strike'] as const) if (style[name]) classes.push(name);
  if (style.fg === undefined && style.bg === undefined) {
    if (style.inverse) classes.push('inverse');
    else if (style.dim) classes.push('dim');
    return { classes, css: {} };
  }
  const behind = style.inverse ? style.fg : style.bg;
  const front = style.inverse ? style.bg : style.fg;
  if (behind !== undefined) {
    const backgroundColor = rgbOf(behind);
    const wanted = front === undefined ? better(backgroundColor) : rgbOf(front);
    return {
      classes,
      css: { color: text(readable(wanted, backgroundColor)), backgroundColor: text(backgroundColor) },
    };
  }
  if (style.inverse && front !== undefined) {
    // Only a background was asked for, and reversed: it becomes the color of the text.
    return { classes: [...classes, 'inverse'], css: {} };
  }
  if (typeof front === 'number' && front < 16) return { classes: [...classes, `fg${front}`], css: {} };
  const rgb = rgbOf(front as Color);
  const light = text(readable(rgb, SURFACES.light));
  const dark = text(readable(rgb, SURFACES.dark));
  return { classes, css: { color: light === dark ? light : `light-dark(${light}, ${dark})` } };
}

/** Of the palette of 256: 16 base colors, a cube of 6 × 6 × 6, 24 grays. */
export function rgbOf(color: Color): Rgb {
  if (typeof color !== 'number') return color.rgb;
  if (color < 16) return BASE[color] ?? BLACK;
  if (color >= 232) {
    const gray = 8 + (color - 232) * 10;
    return [gray, gray, gray];
  }
  const level = (step: number) => (step === 0 ? 0 : 55 + step * 40);
  const index = color - 16;
  return [level(Math.floor(index / 36)), level(Math.floor(index / 6) % 6), level(index % 6)];
}

/** Returns the color nearest to the wanted one that can be read on a background, darker or lighter. */
export function readable(wanted: Rgb, background: Rgb): Rgb {
  if (contrast(wanted, background) >= LEAST_CONTRAST) return wanted;
  const towards = better(background);
  for (let share = 0.04; share < 1; share += 0.04) {
    const mixed = mix(wanted, towards, share);
    if (contrast(mixed, background) >= LEAST_CONTRAST) return mixed;
  }
  return towards;
}

/** Contrast of two colors as WCAG defines it, 1 to 21. */
export function contrast(one: Rgb, other: Rgb): number {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

const better = (background: Rgb): Rgb => (contrast(BLACK, background) >= contrast(WHITE, background) ? BLACK : WHITE);

const mix = (from: Rgb, to: Rgb, share: number): Rgb => [
  Math.round(from[0] + (to[0] - from[0]) * share),
  Math.round(from[1] + (to[1] - from[1]) * share),
  Math.round(from[2] + (to[2] - from[2]) * share),
];

function luminance(rgb: Rgb): number {
  const [red, green, blue] = rgb;
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

/** Linear light of each value of a byte. */
const LINEAR = Float64Array.from({ length: 256 }, (_, value) => {
  const share = value / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
});
const linear = (value: number) => LINEAR[value] ?? 0;

const text = (rgb: Rgb) => `#${rgb.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
