// Builds as rows: status first, what is built as a link that covers the row, and what can be done.
import type { MouseEvent, ReactNode } from 'react';
import type { ListedBuild } from '../../../client/types.js';
import { useSession } from '../data/session.js';
import { Duration, RelativeTime } from '../design/amounts.js';
import { classNames } from '../design/class-names.js';
import { MacLink } from '../macs/mac-link.js';
import { useFormat } from '../words/language.js';
import { useWords } from '../words/use-words.js';
import { BuildBadge } from './build-badge.js';
import { BuildRevision, BuildTitle, useBuildName } from './build-name.js';
import { useBuildReason } from './build-reason.js';
import styles from './build-rows.module.css';
import { words } from './words.js';

export interface BuildRowsProps {
  /** The name of the table. */
  readonly label: string;
  readonly builds: readonly ListedBuild[];
  /** Default: true. */
  readonly showsMac?: boolean;
  /** Buttons at the end of a row. */
  readonly actions?: (build: ListedBuild) => ReactNode;
}

export function BuildRows({ label, builds, showsMac = true, actions }: BuildRowsProps) {
  const w = useWords(words);
  return (
    <div className={styles.box}>
      <table className={styles.rows} aria-label={label}>
        <thead>
          <tr>
            {[w.columns.status, w.columns.build, w.columns.mac, w.columns.time, w.columns.actions].map((header) => (
              <th key={header} scope="col">
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {builds.map((build) => (
            <Row key={build.id} build={build} showsMac={showsMac} actions={actions?.(build)} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ build, showsMac, actions }: { build: ListedBuild; showsMac: boolean; actions: ReactNode }) {
  const nameOf = useBuildName();
  const reasonOf = useBuildReason();
  const { code_host: codeHost } = useSession();
  const { rental_public_id: mac, rental_name: macName, timings } = build;
  const why = reasonOf(build);
  return (
    <tr className={styles.row} onClickCapture={keepSelection} onClick={followRow} onAuxClick={followRow}>
      <td>
        <BuildBadge build={build} />
      </td>
      <th scope="row" className={styles.build}>
        <BuildTitle build={build} stretched />
        <span className={styles.facts}>
          <span className={classNames(styles.text, styles.name)}>{nameOf(build)}</span>
          <BuildRevision build={build} codeHost={codeHost} />
          {why === '' ? null : (
            <span className={classNames(styles.text, styles.why)} title={why}>
              {why}
            </span>
          )}
        </span>
      </th>
      <td className={styles.mac}>{mac === null || !showsMac ? null : <MacLink id={mac} name={macName ?? mac} />}</td>
      <td className={styles.times}>
        <span>
          <Ran timings={timings} />
        </span>
        <RelativeTime at={timings.created_at} />
      </td>
      <td className={styles.buttons}>{actions}</td>
    </tr>
  );
}

const hasSelection = (row: HTMLElement): boolean => {
  const selection = getSelection();
  return selection?.isCollapsed === false && selection.containsNode(row, true);
};

/** The end of a drag that selected the title is no click. */
function keepSelection(event: MouseEvent<HTMLElement>): void {
  const { target, currentTarget: row } = event;
  const isTitle = target instanceof Element && target.closest(`.${styles.build} > a`) !== null;
  if (isTitle && hasSelection(row)) event.preventDefault();
}

/**
 * Text of a row lies above the link that covers the row, so that it can be selected: a click on it does what a click on
 * the link does, unless text is selected or the click is on something else that takes it.
 */
function followRow(event: MouseEvent<HTMLElement>): void {
  const { target, currentTarget: row } = event;
  const link = row.querySelector<HTMLAnchorElement>('a[href]');
  if (!link || !(target instanceof Element)) return;
  if (hasSelection(row) || target.closest('a, button') || event.button > 1) return;
  if (event.button === 1) window.open(link.href, '_blank', 'noopener');
  else {
    const { ctrlKey, metaKey, shiftKey } = event;
    link.dispatchEvent(
      new window.MouseEvent('click', { bubbles: false, cancelable: true, ctrlKey, metaKey, shiftKey }),
    );
  }
}

function Ran({ timings }: Pick<ListedBuild, 'timings'>) {
  const w = useWords(words);
  const format = useFormat();
  const { started_at: started, ended_at: ended } = timings;
  if (started !== null) return <Duration from={started} to={ended} />;
  return ended === null ? w.waits(format.duration(timings.queue_s * 1_000)) : null;
}
