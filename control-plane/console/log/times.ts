// The column of times: the time of day, or the time since the build started.

export const timeModes = ['off', 'clock', 'elapsed'] as const;
export type TimeMode = (typeof timeModes)[number];

/** @param at ISO time @param startedAt ISO time, or null: nothing has started */
export function timeText(mode: TimeMode, at: string | null | undefined, startedAt: string | null): string {
  if (mode === 'off' || !at) return '';
  const time = new Date(at);
  if (mode === 'clock' || startedAt === null) {
    const [h, min, s] = [time.getHours(), time.getMinutes(), time.getSeconds()];
    return `${[h, min, s].map(two).join(':')}.${String(time.getMilliseconds()).padStart(3, '0')}`;
  }
  // Lines of the service may come before the start.
  const ms = time.getTime() - Date.parse(startedAt);
  const tenths = Math.round(Math.abs(ms) / 100);
  const s = Math.floor(tenths / 10);
  const h = Math.floor(s / 3_600);
  const min = Math.floor(s / 60) % 60;
  const head = h > 0 ? `${h}:${two(min)}` : String(min);
  return `${ms < -50 ? '-' : ''}${head}:${two(s % 60)}.${tenths % 10}`;
}

const two = (value: number) => String(value).padStart(2, '0');
