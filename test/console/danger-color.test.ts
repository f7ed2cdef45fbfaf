// The color of actions that delete something differs clearly from that of other actions.
import { readFileSync } from 'node:fs';
import t from 'tap';

const tokens = readFileSync('control-plane/console/design/tokens.css', 'utf8');

/** Returns the hues of a color in degrees, in the light and in the dark theme. */
function hues(token: string): number[] {
  const [, light = '', dark = ''] = tokens.match(`--${token}: light-dark\\(#(\\w{6}), #(\\w{6})\\)`) ?? [];
  return [light, dark].map((color) => {
    const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
    return (Math.atan2(Math.sqrt(3) * (green - blue), 2 * red - green - blue) * 180) / Math.PI;
  });
}

t.test('the red of danger is far from the accent', async (t) => {
  const accent = hues('accent');
  for (const token of ['bad', 'bad-hover']) {
    for (const [n, hue] of hues(token).entries()) {
      const apart = Math.abs(hue - (accent[n] ?? Number.NaN));
      t.ok(Math.min(apart, 360 - apart) >= 30, `${token}: ${Math.round(apart)} degrees`);
    }
  }
});
