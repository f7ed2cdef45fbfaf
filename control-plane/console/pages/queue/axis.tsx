import { useBuildName } from '../../builds/build-name.js';
import type { Tone } from '../../design/badge.js';
import { Link } from '../../design/link.js';
import { type AxisBar, TimeAxis } from '../../design/time-axis.js';
import { MacLink } from '../../macs/mac-link.js';
import { useFormat } from '../../words/language.js';
import { shared } from '../../words/shared.js';
import { useWords } from '../../words/use-words.js';
import type { QueueBar, QueueLane, QueueLayout } from './layout.js';
import styles from './page.module.css';
import { words } from './words.js';

const tones: Readonly<Record<QueueBar['kind'], Tone>> = {
  running: 'info',
  waiting: 'neutral',
  reserved: 'good',
  maintenance: 'warn',
  ends: 'bad',
};

export function QueueAxis({ layout: { from, to, lanes } }: { layout: QueueLayout }) {
  const w = useWords(words);
  const common = useWords(shared);
  const bars = useBars();
  return (
    <TimeAxis
      label={w.axis}
      from={from}
      to={to}
      lanes={lanes.map((lane) => ({
        key: lane.mac.rental_id,
        label: (
          <>
            <MacLink id={lane.mac.rental_id} name={lane.mac.name} />{' '}
            <span className={styles.state}>{common.macState[lane.mac.state]}</span>
          </>
        ),
        bars: bars(lane),
      }))}
    />
  );
}

function useBars(): (lane: QueueLane) => AxisBar[] {
  const w = useWords(words);
  const common = useWords(shared);
  const format = useFormat();
  const nameOf = useBuildName();
  return ({ mac, bars }) =>
    bars.map(({ key, kind, build, from, to, open }) => {
      const name = build ? shortName(nameOf(build), build.ref) : '';
      const [begins, ends] = [format.clock(from), format.clock(to)];
      const title = {
        running: () => (open ? w.bar.runningOpen : w.bar.running)(name, begins, ends),
        waiting: () => w.bar.waiting(name, begins),
        reserved: () => w.bar.reserved(format.dateTime(to)),
        maintenance: () => w.bar.maintenance(common.macState[mac.state]),
        ends: () => w.bar.ends(begins),
      }[kind]();
      return {
        key,
        from,
        to,
        title,
        tone: tones[kind],
        expected: open,
        label: build ? name : title,
        ...(build
          ? {
              render: (label: React.ReactNode) => (
                <Link to="/o/$org/builds/$build_id" params={{ build_id: build.id }} aria-label={title}>
                  {label}
                </Link>
              ),
            }
          : {}),
      };
    });
}

/** @example shortName('acme/shop-ios', 'main') // 'shop-ios main' */
const shortName = (name: string, ref: string | null) => [name.split('/').at(-1) ?? name, ref].filter(Boolean).join(' ');
