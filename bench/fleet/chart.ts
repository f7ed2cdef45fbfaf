// Charts as SVG, light by default and dark where the reader's system is.

export interface Series {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
  /** A value to compare with, not a measurement. */
  readonly isLimit?: boolean;
}

export interface Chart {
  readonly title: string;
  /** What it shows, for those who do not see it. */
  readonly description: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly series: readonly Series[];
}

const WIDTH = 720;
const HEIGHT = 320;
const [LEFT, RIGHT, TOP, BOTTOM] = [64, 200, 48, 52];
const COLORS = ['a', 'b', 'c', 'd'] as const;
const LINE_HEIGHT = 16;

export const STYLE = `<style>
svg { font: 13px system-ui, -apple-system, 'Segoe UI', sans-serif }
.paper { fill: #ffffff } .ink { fill: #1f2328 } .quiet { fill: #59636e } .grid { stroke: #d1d9e0 } .limit { stroke: #59636e; stroke-dasharray: 5 4 }
.a { stroke: #0969da; fill: #0969da } .b { stroke: #bc4c00; fill: #bc4c00 } .c { stroke: #1a7f37; fill: #1a7f37 } .d { stroke: #8250df; fill: #8250df }
.line { fill: none; stroke-width: 2 } .name { stroke: none } .box { fill: none; stroke-width: 1.5 }
@media (prefers-color-scheme: dark) {
.paper { fill: #0d1117 } .ink { fill: #f0f6fc } .quiet { fill: #9198a1 } .grid { stroke: #3d444d } .limit { stroke: #9198a1 }
.a { stroke: #4493f8; fill: #4493f8 } .b { stroke: #f0883e; fill: #f0883e } .c { stroke: #3fb950; fill: #3fb950 } .d { stroke: #ab7df8; fill: #ab7df8 }
}
</style>`;

export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Returns the first of 1, 2, 5, 10, 20, … times a power of ten that is not below the value. */
export function roundUp(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= value) ?? value;
}

const number = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 1 });

/** Draws lines over the logarithm of x, with their names at their ends. */
export function lineChart({ title, description, xLabel, yLabel, series }: Chart): string {
  const xs = [...new Set(series.flatMap(({ points }) => points.map(([x]) => x)))].sort((a, b) => a - b);
  const most = roundUp(Math.max(...series.flatMap(({ points }) => points.map(([, y]) => y))));
  const [first, last] = [Math.log(xs[0] ?? 1), Math.log(xs.at(-1) ?? 1)];
  const x = (value: number) => LEFT + ((Math.log(value) - first) / (last - first || 1)) * (WIDTH - LEFT - RIGHT);
  const y = (value: number) => HEIGHT - BOTTOM - (value / most) * (HEIGHT - TOP - BOTTOM);
  const grid = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const at = y(share * most).toFixed(1);
    return `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${at}" y2="${at}"/>
<text class="quiet" x="${LEFT - 8}" y="${Number(at) + 4}" text-anchor="end">${number(share * most)}</text>`;
  });
  const ticks = xs.map(
    (value) =>
      `<text class="quiet" x="${x(value).toFixed(1)}" y="${HEIGHT - BOTTOM + 20}" text-anchor="middle">${number(value)}</text>`,
  );
  const ends = apart(series.map(({ points }) => y(points.at(-1)?.[1] ?? 0)));
  let color = 0;
  const lines = series.map(({ name, points, isLimit = false }, i) => {
    const path = points.map(([px, py], n) => `${n === 0 ? 'M' : 'L'}${x(px).toFixed(1)} ${y(py).toFixed(1)}`).join('');
    const label = `x="${WIDTH - RIGHT + 10}" y="${((ends[i] ?? 0) + 4).toFixed(1)}"`;
    if (isLimit) return `<path class="limit line" d="${path}"/>\n<text class="quiet" ${label}>${escaped(name)}</text>`;
    const shade = COLORS[color++ % COLORS.length];
    const dots = points.map(
      ([px, py]) => `<circle class="${shade}" cx="${x(px).toFixed(1)}" cy="${y(py).toFixed(1)}" r="3"/>`,
    );
    return `<path class="${shade} line" d="${path}"/>${dots.join('')}\n<text class="${shade} name" ${label}>${escaped(name)}</text>`;
  });
  return svg({ title, description, width: WIDTH, height: HEIGHT }, [
    ...grid,
    ...ticks,
    `<text class="quiet" x="${LEFT}" y="${HEIGHT - 10}">${escaped(xLabel)}</text>`,
    `<text class="quiet" x="${LEFT}" y="${TOP - 14}">${escaped(yLabel)}</text>`,
    ...lines,
  ]);
}

/** Moves labels down that would be on each other. */
function apart(positions: readonly number[]): number[] {
  const order = positions.map((at, i) => ({ at, i })).sort((a, b) => a.at - b.at);
  const moved = [...positions];
  let free = Number.NEGATIVE_INFINITY;
  for (const { at, i } of order) {
    moved[i] = Math.max(at, free);
    free = (moved[i] ?? at) + LINE_HEIGHT;
  }
  return moved;
}

export function svg(
  { title, description, width, height }: { title: string; description: string; width: number; height: number },
  content: readonly string[],
): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="t d">
<title id="t">${escaped(title)}</title>
<desc id="d">${escaped(description)}</desc>
${STYLE}
<rect class="paper" width="${width}" height="${height}" rx="8"/>
<text class="ink" x="16" y="24" font-weight="600">${escaped(title)}</text>
${content.join('\n')}
</svg>
`;
}
