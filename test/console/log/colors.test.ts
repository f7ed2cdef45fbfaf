// Every color that a program can ask for can be read in both themes, on every background that a line can have.
import { readFileSync } from 'node:fs';
import t from 'tap';
import { contrast, lookOf, type Rgb, rgbOf, SURFACES } from '../../../control-plane/console/log/colors.js';

const css = ['log-viewer', 'log-text']
  .map((name) => `../../../../control-plane/console/log/${name}.module.css`)
  .map((path) => readFileSync(new URL(path, import.meta.url), 'utf8'))
  .join('');

const rgb = (hex: string): Rgb => {
  const value = Number.parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
};
/** The two colors of a declaration `name: light-dark(#…, #…)`. */
function pair(selector: RegExp): { light: Rgb; dark: Rgb } {
  const found = new RegExp(`${selector.source}[^}]*?light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(css);
  return { light: rgb(found?.[1] ?? '#000000'), dark: rgb(found?.[2] ?? '#000000') };
}
const themes = ['light', 'dark'] as const;
const backgrounds = ['log', 'log-selected', 'log-failure', 'log-current', 'log-hover'].map(
  (name) => [name, pair(new RegExp(`--${name}: `))] as const,
);

t.test('the 16 colors, the numbers and dim text, by the stylesheet', async (t) => {
  const colors = Array.from({ length: 16 }, (_, i) => [`fg${i}`, pair(new RegExp(`\\.fg${i} `))] as const);
  for (const [name, color] of [...colors, ['faint', pair(/--log-faint: /)] as const]) {
    for (const [background, behind] of backgrounds) {
      for (const theme of themes) {
        const found = contrast(color[theme], behind[theme]);
        t.ok(found >= 4.5, `${name} on ${background} in ${theme}: ${found.toFixed(2)}`);
      }
    }
  }
  for (const theme of themes) t.same(pair(/--log-current: /)[theme], SURFACES[theme], 'the same in the code');
});

t.test('all 256 colors, and true colors, as text and as background', async (t) => {
  const all = [
    ...Array.from({ length: 256 }, (_, i) => i),
    ...(
      [
        [0, 0, 0],
        [255, 255, 255],
        [128, 128, 128],
        [0, 0, 255],
        [255, 255, 0],
      ] as const
    ).map((each) => ({
      rgb: each,
    })),
  ];
  let least = 21;
  for (const color of all) {
    const { css: text, classes } = lookOf({ fg: color });
    if (typeof color === 'number' && color < 16) {
      t.same(classes, [`fg${color}`]);
    } else {
      const [light = '', dark = light] = (text.color ?? '').match(/#\w{6}/g) ?? [];
      least = Math.min(least, contrast(rgb(light), SURFACES.light), contrast(rgb(dark), SURFACES.dark));
    }
    for (const style of [
      { bg: color },
      { bg: color, fg: 0 },
      { bg: color, fg: 7 },
      { fg: color, inverse: true } as const,
    ]) {
      const { color = '', backgroundColor = '' } = lookOf(style).css;
      least = Math.min(least, contrast(rgb(color), rgb(backgroundColor)));
    }
  }
  t.ok(least >= 4.5, `${least}`);
  t.same(rgbOf(196), [255, 0, 0]);
  t.same(rgbOf(232), [8, 8, 8]);
  t.same(rgbOf(255), [238, 238, 238]);
});

t.test('styles become classes', async (t) => {
  t.same(lookOf({}), { classes: [], css: {} });
  t.same(lookOf({ bold: true, underline: true, fg: 4 }), { classes: ['bold', 'underline', 'fg4'], css: {} });
  t.same(lookOf({ inverse: true }).classes, ['inverse']);
  t.same(lookOf({ dim: true }).classes, ['dim']);
  t.same(lookOf({ inverse: true, bg: 1 }).classes, ['inverse']);
});
