import { gap, mark, type Shape } from './drawing.js';

/** @param dot null: only the mark */
export function svgOf(dot: Shape | null): string {
  const shapes = [mark, ...(dot ? [dot] : [])];
  const dark = shapes
    .map((shape, at) => (shape.dark === undefined ? '' : `.s${at}{${paintOf(shape)}:${shape.dark}}`))
    .join('');
  const cut = dot === null ? '' : `<mask id="m"><rect width="64" height="64" fill="#fff"/>${gap.svg}</mask>`;
  const parts = shapes.map(({ color, svg }, at) => {
    const masked = at === 0 && dot !== null ? ' mask="url(#m)"' : '';
    const paint = `${paintOf({ svg })}="${color}"`;
    return `<g class="s${at}" ${paint}${masked}>${svg}</g>`;
  });
  const style = dark === '' ? '' : `<style>@media(prefers-color-scheme:dark){${dark}}</style>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><title>Cidermill</title>${style}${cut}${parts.join('')}</svg>\n`;
}

const paintOf = ({ svg }: Pick<Shape, 'svg'>) => (svg.includes('fill="none"') ? 'stroke' : 'fill');
