// PNG files of a drawing, without a browser: each pixel is the mean of 64 points.
import { deflateSync } from 'node:zlib';
import type { Shape } from './drawing.js';
import { PNG_SIGNATURE, pngChunk } from './png-chunk.js';

const POINTS = 8;

/** @param shapes from back to front; `cut` is left transparent in the first one */
export function pngOf(size: number, shapes: readonly Shape[], cut: Pick<Shape, 'inside'> | null): Buffer {
  const rows = Buffer.alloc(size * (1 + size * 4));
  const layers = shapes.map((shape) => ({ ...shape, rgb: rgbOf(shape.color) }));
  for (let row = 0; row < size; row += 1) {
    for (let column = 0; column < size; column += 1) {
      const at = row * (1 + size * 4) + 1 + column * 4;
      const sum = [0, 0, 0];
      let covered = 0;
      for (let point = 0; point < POINTS * POINTS; point += 1) {
        const x = ((column + ((point % POINTS) + 0.5) / POINTS) / size) * 64;
        const y = ((row + (Math.floor(point / POINTS) + 0.5) / POINTS) / size) * 64;
        const top = layers.findLast((layer, n) => layer.inside(x, y) && !(n === 0 && cut?.inside(x, y)));
        if (!top) continue;
        covered += 1;
        for (const [channel, value] of top.rgb.entries()) sum[channel] = (sum[channel] ?? 0) + value;
      }
      if (covered === 0) continue;
      for (const [channel, value] of sum.entries()) rows[at + channel] = Math.round(value / covered);
      rows[at + 3] = Math.round((covered / (POINTS * POINTS)) * 255);
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  // 8 bits each of red, green, blue and alpha.
  header.set([8, 6, 0, 0, 0], 8);
  return Buffer.concat([
    PNG_SIGNATURE,
    pngChunk('IHDR', header),
    pngChunk('IDAT', deflateSync(rows, { level: 9 })),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

const rgbOf = (color: string) => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
