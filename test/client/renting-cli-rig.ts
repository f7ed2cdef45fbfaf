// A scripted service and the renting commands of the command line.
import jsqr from 'jsqr';
import type { Test } from 'tap';
import { makePlace } from './place.js';
import type { Running } from './run-cli.js';
import { type ScriptedService, startScriptedService } from './scripted-service.js';

export async function setUp(t: Test) {
  const service = await startScriptedService();
  const place = makePlace(service);
  t.teardown(async () => {
    await service.close();
    place.remove();
  });
  return { service, renting: service.renting, place };
}

/** The order that a running command waits for, once it does. */
export async function orderOf(service: ScriptedService, run: Running): Promise<string> {
  await run.until('stderr', 'waiting for a person to consent and pay');
  const orderNo = /RT-\d+/.exec(run.output.stderr)?.[0] ?? '';
  await service.untilSeen(`GET /orders/${orderNo}/wait`, 1);
  return orderNo;
}

/** Reads a code as a camera would: from a picture of what stands on the terminal. */
export function readQrCode(output: string): string | null {
  const lines = [...output.matchAll(/\x1b\[30;107m([█▀▄ ]+)\x1b\[0m/g)].map(([, cells = '']) => cells);
  const scale = 4;
  const width = (lines[0]?.length ?? 0) * scale;
  const height = lines.length * 2 * scale;
  const picture = new Uint8ClampedArray(width * height * 4);
  for (let y = 0; y < height; y++) {
    const row = Math.floor(y / scale);
    for (let x = 0; x < width; x++) {
      const cell = lines[row >> 1]?.[Math.floor(x / scale)] ?? ' ';
      const dark = cell === '█' || cell === (row % 2 === 0 ? '▀' : '▄');
      picture.set(dark ? [0, 0, 0, 255] : [255, 255, 255, 255], (y * width + x) * 4);
    }
  }
  return jsqr.default(picture, width, height)?.data ?? null;
}
