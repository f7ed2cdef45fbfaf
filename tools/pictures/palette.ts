// Makes PNG files of a browser small: 256 colors instead of 16 million, which is enough for pages without photographs.
import { deflateSync, inflateSync } from 'node:zlib';
import { PNG_SIGNATURE, pngChunk } from '../icons/png-chunk.js';

/** @throws Error for a PNG that is not as Chromium writes it: 8 bits per channel, RGB or RGBA, not interlaced */
export function withPalette(png: Buffer): Buffer {
  const { width, height, pixels } = read(png);
  const { colors, indexOf } = paletteOf(pixels);
  const rows = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) rows[y * (width + 1) + 1 + x] = indexOf(pixels[y * width + x] ?? 0);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // 8 bits each, an index into the palette.
  header.set([8, 3, 0, 0, 0], 8);
  const palette = Buffer.from(colors.flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255]));
  return Buffer.concat([
    PNG_SIGNATURE,
    pngChunk('IHDR', header),
    pngChunk('PLTE', palette),
    pngChunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Colors as 0xRRGGBB. */
function read(png: Buffer): { width: number; height: number; pixels: Uint32Array } {
  const width = png.readUInt32BE(16);
  const height = png.readUInt32BE(20);
  const [depth, type, , , interlaced] = png.subarray(24, 29);
  if (depth !== 8 || (type !== 2 && type !== 6) || interlaced !== 0) throw new Error('not a PNG of Chromium');
  const parts: Buffer[] = [];
  for (let at = PNG_SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const bytes = type === 6 ? 4 : 3;
  const stride = width * bytes;
  const data = inflateSync(Buffer.concat(parts));
  const pixels = new Uint32Array(width * height);
  let above = Buffer.alloc(stride);
  for (let y = 0; y < height; y += 1) {
    const start = y * (stride + 1);
    const row = Buffer.from(data.subarray(start + 1, start + 1 + stride));
    unfilter(data[start] ?? 0, row, above, bytes);
    for (let x = 0; x < width; x += 1) pixels[y * width + x] = row.readUIntBE(x * bytes, 3);
    above = row;
  }
  return { width, height, pixels };
}

function unfilter(kind: number, row: Buffer, above: Buffer, bytes: number): void {
  for (let i = 0; i < row.length; i += 1) {
    const left = i < bytes ? 0 : (row[i - bytes] ?? 0);
    const up = above[i] ?? 0;
    const corner = i < bytes ? 0 : (above[i - bytes] ?? 0);
    const predicted = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][kind] ?? 0;
    row[i] = ((row[i] ?? 0) + predicted) & 255;
  }
}

function paeth(left: number, up: number, corner: number): number {
  const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}

const MOST = 256;
/** The square of a distance that is seen. */
const APART = 250;

/** The most frequent colors; the others become the nearest of them. */
function paletteOf(pixels: Uint32Array) {
  const counts = new Map<number, number>();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  const byCount = [...counts].sort(([, a], [, b]) => b - a).map(([color]) => color);
  // The frequent ones first; then rare ones, if they are not close to one that is there.
  const colors = byCount.slice(0, MOST / 2);
  for (const color of byCount.slice(MOST / 2)) {
    if (colors.length >= MOST) break;
    if (colors.every((other) => distance(color, other) > APART)) colors.push(color);
  }
  const indexes = new Map(colors.map((color, at) => [color, at]));
  return {
    colors,
    indexOf(color: number): number {
      const known = indexes.get(color);
      if (known !== undefined) return known;
      const near = colors.reduce(
        (best, other, at) => (distance(color, other) < distance(color, colors[best] ?? 0) ? at : best),
        0,
      );
      indexes.set(color, near);
      return near;
    },
  };
}

const distance = (a: number, b: number): number =>
  ((a >> 16) - (b >> 16)) ** 2 + (((a >> 8) & 255) - ((b >> 8) & 255)) ** 2 + ((a & 255) - (b & 255)) ** 2;
