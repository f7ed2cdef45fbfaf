import { dots, gap, ground, mark, type Shape, smallMark } from './drawing.js';
import { pngOf } from './png.js';
import { svgOf } from './svg.js';

const SMALL = 32;
const TOUCH = 180;

/** Returns the contents of the icon files by name. */
export function iconFiles(): ReadonlyMap<string, Buffer> {
  const both = (name: string, dot: Shape | null): [string, Buffer][] => [
    [`${name}.svg`, Buffer.from(svgOf(dot))],
    [`${name}.png`, dot ? pngOf(SMALL, [mark, dot], gap) : pngOf(SMALL, [mark], null)],
  ];
  return new Map([
    ...both('icon', null),
    ...Object.entries(dots).flatMap(([name, dot]) => both(`icon-${name}`, dot)),
    ['apple-touch-icon.png', pngOf(TOUCH, [ground, smallMark], null)],
  ]);
}
