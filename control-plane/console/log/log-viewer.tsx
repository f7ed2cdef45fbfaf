// The log of a build: a million lines, with colors, search, folding, times, lines in the address, and live output.
//
// For screen readers it is a table whose rows say their number, of which only those in the window exist. `role="log"` would
// announce every line that comes in; instead the number of new lines stands on a button, and results of a search are
// announced.
import ArrowDown from 'lucide-react/icons/arrow-down';
import Trash2 from 'lucide-react/icons/trash-2';
import { type Ref, useImperativeHandle, useRef, useState } from 'react';
import { Failure } from '../data/failure.js';
import { classNames } from '../design/class-names.js';
import { EmptyState } from '../design/empty-state.js';
import { FailureNote } from '../design/failure-note.js';
import ShortcutList from '../keys/shortcut-list.js';
import { useChoices, useFormat } from '../words/language.js';
import { useWords } from '../words/use-words.js';
import { onLogKey } from './log-keys.js';
import { LogLines } from './log-lines.js';
import { LogSearchBar } from './log-search.js';
import { LogToolbar } from './log-toolbar.js';
import styles from './log-viewer.module.css';
import { SelectionBar } from './selection-bar.js';
import { type LogView, type LogViewOptions, useLogView } from './use-log-view.js';
import { words } from './words.js';

export interface LogViewerHandle {
  /** Selects lines and brings them into the window. */
  goTo(first: number, last: number): void;
}

export interface LogViewerProps extends LogViewOptions {
  /** ISO time; null if the build has not started. */
  readonly startedAt: string | null;
  /** CSS height of the window. */
  readonly height?: string;
  readonly ref?: Ref<LogViewerHandle>;
}

/**
 * @param props.source memoize it: another source is another log
 * @param props.failureLines first and last line that show why the build failed
 */
export function LogViewer(props: LogViewerProps) {
  const { source, status, startedAt, failureLines, height = 'min(72vh, 900px)', ref } = props;
  const w = useWords(words);
  const { singleKeys } = useChoices();
  const view = useLogView(props);
  const { goTo, total, known, failure, ended, selection, store } = view;
  const [isFull, setFull] = useState(false);
  const [helps, setHelps] = useState(false);
  const searchInput = useRef<HTMLInputElement>(null);
  const copyButton = useRef<HTMLButtonElement>(null);
  useImperativeHandle(ref, () => ({ goTo }));
  const toFailure = failureLines && (() => goTo(failureLines[0], failureLines[1]));
  const keys = {
    view,
    singleKeys,
    isFull,
    toFailure: () => toFailure?.(),
    toggleFull: () => setFull(!isFull),
    focusSearch: () => searchInput.current?.focus(),
    copy: () => copyButton.current?.click(),
    help: () => setHelps(true),
  };
  if (failure instanceof Failure && failure.code === 'log_deleted') return <DeletedLog />;
  return (
    <section
      className={classNames(styles.viewer, isFull && styles.full)}
      aria-label={w.logOf}
      onKeyDown={(event) => onLogKey(event, keys)}
    >
      <LogToolbar
        source={source}
        view={view}
        isFull={isFull}
        toFailure={toFailure}
        search={<LogSearchBar search={view.search} input={searchInput} onLeave={view.focus} />}
        onFull={keys.toggleFull}
        onHelp={keys.help}
      />
      {failure ? <FailureNote error={failure} onRetry={store.reload} /> : null}
      {total === 0 && !failure ? (
        <p className={styles.note} role="status">
          {known === null ? w.loading : ended ? w.empty : status === 'queued' ? w.notStarted : w.nothingYet}
        </p>
      ) : null}
      <div className={styles.frame} hidden={total === 0}>
        <LogLines view={view} startedAt={startedAt} failureLines={failureLines} height={height} isFull={isFull} />
        <ToEnd view={view} />
      </div>
      {selection.range ? (
        <SelectionBar range={selection.range} store={store} button={copyButton} onClear={selection.clear} />
      ) : null}
      <ShortcutList pages={null} open={helps} onOpenChange={setHelps} />
    </section>
  );
}

/** Back to the end of a log that grows. */
function ToEnd({ view: { unseen, scroll } }: { view: LogView }) {
  const w = useWords(words);
  const format = useFormat();
  if (unseen === null) return null;
  return (
    <button type="button" className={styles.toEnd} onClick={scroll.toEnd}>
      <ArrowDown aria-hidden />
      {unseen > 0 ? w.newLines(format.number(unseen)) : w.toEnd}
    </button>
  );
}

function DeletedLog() {
  const w = useWords(words);
  return (
    <section className={styles.viewer} aria-label={w.logOf}>
      <EmptyState icon={<Trash2 />} title={w.deletedTitle}>
        {w.deleted}
      </EmptyState>
    </section>
  );
}
