// Bars over time. A table has the same numbers for screen readers.

import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import type { Moment } from '../words/format.js';
import { useFormat } from '../words/language.js';
import { valueTicks } from './axis.js';
import styles from './bar-chart.module.css';

export interface BarChartProps {
  readonly label: string;
  /** Names of the parts of each bar, from below; at most three. */
  readonly parts: readonly string[];
  readonly bars: readonly { readonly at: Moment; readonly values: readonly number[] }[];
  /** Text of a time, e.g. `format.date`. */
  timeText(at: Moment): string;
  valueText?(value: number): string;
  /** In place of the bars while each is 0. */
  readonly empty?: string;
}

const HEIGHT = 180;
/** Until the width is known. */
const USUAL_WIDTH = 720;
/** Between two texts of the time axis, px. */
const TEXT_GAP = 88;
/** Of a character on the axis, px. */
const LETTER = 6.6;
const BELOW = 22;

export function BarChart(props: BarChartProps) {
  const { label, bars, empty } = props;
  if (empty === undefined || bars.some(({ values }) => values.some((value) => value > 0))) {
    return <Bars {...props} />;
  }
  return (
    <figure className={styles.figure}>
      <figcaption className={styles.caption}>{label}</figcaption>
      <p className={styles.empty}>{empty}</p>
    </figure>
  );
}

function Bars({ label, parts, bars, timeText, valueText }: BarChartProps) {
  const format = useFormat();
  const text = valueText ?? format.number;
  const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);
  const ticks = valueTicks(Math.max(0, ...bars.map(({ values }) => sum(values))));
  const top = ticks.at(-1) ?? 1;
  const y = (value: number) => HEIGHT - (value / top) * (HEIGHT - 8);
  // Room for the longest text of the axis.
  const left = 12 + LETTER * Math.max(...ticks.map((tick) => text(tick).length));
  const chart = useRef<SVGSVGElement>(null);
  // Drawn in pixels of the screen, so that texts have the size of other texts.
  const width = useWidth(chart) ?? USUAL_WIDTH;
  const wide = (width - left) / Math.max(1, bars.length);
  const every = Math.max(1, Math.ceil(bars.length / Math.max(2, Math.floor((width - left) / TEXT_GAP))));
  return (
    <figure className={styles.figure}>
      <figcaption className={styles.caption}>
        <span>{label}</span>
        {parts.length > 1
          ? parts.map((part, at) => (
              <span key={part} className={styles.key} data-part={at}>
                {part}
              </span>
            ))
          : null}
      </figcaption>
      <svg
        ref={chart}
        viewBox={`0 0 ${width} ${HEIGHT + BELOW}`}
        height={HEIGHT + BELOW}
        className={styles.chart}
        data-plain={parts.length === 1 || undefined}
        aria-hidden="true"
      >
        {ticks.map((tick) => (
          <g key={tick}>
            <line x1={left} x2={width} y1={y(tick)} y2={y(tick)} className={styles.line} />
            <text x={left - 6} y={y(tick) + 4} textAnchor="end" className={styles.text}>
              {text(tick)}
            </text>
          </g>
        ))}
        {bars.map(({ at, values }, i) => (
          <g key={String(at)}>
            <title>{`${timeText(at)}: ${values.map((value, part) => `${parts[part]} ${text(value)}`).join(', ')}`}</title>
            {values.map((value, part) => {
              const base = sum(values.slice(0, part));
              return (
                <rect
                  key={parts[part]}
                  x={left + i * wide + wide * 0.15}
                  width={wide * 0.7}
                  y={y(base + value)}
                  height={Math.max(0, y(base) - y(base + value))}
                  className={styles.bar}
                  data-part={part}
                />
              );
            })}
            {i % every === 0 ? (
              <text x={left + i * wide + wide / 2} y={HEIGHT + 16} textAnchor="middle" className={styles.text}>
                {timeText(at)}
              </text>
            ) : null}
          </g>
        ))}
      </svg>
      <table className="unseen">
        <caption>{label}</caption>
        <tbody>
          {bars.map(({ at, values }) => (
            <tr key={String(at)}>
              <th scope="row">{timeText(at)}</th>
              {values.map((value, part) => (
                <td key={parts[part]}>{`${parts[part]} ${text(value)}`}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}

/** The width of an element on the screen, px; null until it is known. */
function useWidth(ref: RefObject<Element | null>): number | null {
  const [width, setWidth] = useState<number | null>(null);
  useLayoutEffect(() => {
    const { current } = ref;
    if (!current) return;
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width || null));
    observer.observe(current);
    return () => observer.disconnect();
  }, [ref]);
  return width;
}
