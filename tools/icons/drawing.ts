// The icons of the console, drawn once for both formats: the mark beside the service's name, and a shape for the status of
// a build. Shapes differ, because colors alone do not reach everybody.

export interface Shape {
  readonly color: string;
  /** In dark windows; the same if missing. */
  readonly dark?: string;
  /** Whether a point is inside. Coordinates go from 0 to 64. */
  inside(x: number, y: number): boolean;
  /** SVG of the same, without its color. */
  readonly svg: string;
}

const ACCENT = { light: '#a63c06', dark: '#f0935a' };

/** A rounded square from `from` to `to`; the corner at the bottom left has another radius. */
function rounded(from: number, to: number, radius: number, corner = radius): Omit<Shape, 'color'> {
  const inside = (x: number, y: number) => {
    if (x < from || x > to || y < from || y > to) return false;
    const r = x < from + corner && y > to - corner ? corner : x < 32 && y > 32 ? 0 : radius;
    const dx = Math.max(from + r - x, x - (to - r), 0);
    const dy = Math.max(from + r - y, y - (to - r), 0);
    return r === 0 || Math.hypot(dx, dy) <= r;
  };
  const [r, c] = [radius, corner];
  const svg = `<path d="M${from + r} ${from}H${to - r}A${r} ${r} 0 0 1 ${to} ${from + r}V${to - r}A${r} ${r} 0 0 1 ${to - r} ${to}H${from + c}A${c} ${c} 0 0 1 ${from} ${to - c}V${from + r}A${r} ${r} 0 0 1 ${from + r} ${from}Z"/>`;
  return { inside, svg };
}

const circle = (cx: number, cy: number, r: number, hole = 0) => ({
  inside(x: number, y: number) {
    const distance = Math.hypot(x - cx, y - cy);
    return distance <= r && distance >= hole;
  },
  svg:
    hole === 0
      ? `<circle cx="${cx}" cy="${cy}" r="${r}"/>`
      : `<circle cx="${cx}" cy="${cy}" r="${(r + hole) / 2}" fill="none" stroke-width="${r - hole}"/>`,
});

const square = (cx: number, cy: number, half: number) => ({
  inside: (x: number, y: number) => Math.abs(x - cx) <= half && Math.abs(y - cy) <= half,
  svg: `<rect x="${cx - half}" y="${cy - half}" width="${half * 2}" height="${half * 2}"/>`,
});

const CENTER = 47;

/** What stands at the corner of the mark. */
export const dots = {
  waiting: { color: '#7b8594', ...circle(CENTER, CENTER, 10) },
  running: { color: '#2563d9', dark: '#94bbff', ...circle(CENTER, CENTER, 15, 8) },
  good: { color: '#178a4c', dark: '#5fcf8c', ...circle(CENTER, CENTER, 15) },
  bad: { color: '#d0154f', dark: '#ff7096', ...square(CENTER, CENTER, 14) },
  ended: { color: '#7b8594', ...circle(CENTER, CENTER, 15, 10) },
} satisfies Readonly<Record<string, Shape>>;

/** The same shape as beside the name. */
export const mark: Shape = { color: ACCENT.light, dark: ACCENT.dark, ...rounded(4, 60, 28, 7) };

/** Free space around the shape at the corner. */
export const gap = circle(CENTER, CENTER, 20);

/** Home screens cut the corners themselves. */
export const ground: Shape = { color: '#fcefe7', inside: () => true, svg: '' };
export const smallMark: Shape = { color: ACCENT.light, ...rounded(14, 50, 18, 4.5) };
