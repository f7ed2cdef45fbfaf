// The bar above a log: its length, search, and what can be done with it.

import ChevronsDownUp from 'lucide-react/icons/chevrons-down-up';
import ChevronsUpDown from 'lucide-react/icons/chevrons-up-down';
import CircleAlert from 'lucide-react/icons/circle-alert';
import Clock from 'lucide-react/icons/clock';
import Download from 'lucide-react/icons/download';
import Ellipsis from 'lucide-react/icons/ellipsis';
import FileText from 'lucide-react/icons/file-text';
import Keyboard from 'lucide-react/icons/keyboard';
import Maximize2 from 'lucide-react/icons/maximize-2';
import Minimize2 from 'lucide-react/icons/minimize-2';
import WrapText from 'lucide-react/icons/wrap-text';
import type { ReactNode } from 'react';
import { Button, IconButton } from '../design/button.js';
import { classNames } from '../design/class-names.js';
import { LiveMark } from '../design/live-mark.js';
import { Menu, MenuChoice, MenuItem, MenuLine } from '../design/menu.js';
import { useFormat } from '../words/language.js';
import { useWords } from '../words/use-words.js';
import styles from './log-toolbar.module.css';
import type { LogSource } from './source.js';
import { type TimeMode, timeModes } from './times.js';
import type { Folds } from './use-folds.js';
import type { LogView } from './use-log-view.js';
import { words } from './words.js';

export interface LogToolbarProps {
  readonly source: LogSource;
  readonly view: LogView;
  readonly search: ReactNode;
  readonly isFull: boolean;
  onFull(): void;
  /** Null: the build has no lines that show a failure. */
  readonly toFailure: (() => void) | null;
  onHelp(): void;
}

export function LogToolbar({ source, view, search, isFull, onFull, toFailure, onHelp }: LogToolbarProps) {
  const { known, ended, preferences, setPreferences } = view;
  const { wrap, times } = preferences;
  const w = useWords(words);
  const format = useFormat();
  const timeTexts: Readonly<Record<TimeMode, string>> = {
    off: w.timesOff,
    clock: w.timesClock,
    elapsed: w.timesElapsed,
  };
  return (
    <div className={styles.toolbar}>
      <div className={styles.title}>
        <h2>{w.log}</h2>
        {known === null ? null : <span className={styles.size}>{w.lines(format.number(known))}</span>}
        {ended ? null : <LiveMark />}
      </div>
      {search}
      <div className={styles.tools}>
        {toFailure ? (
          <Button small icon={<CircleAlert aria-hidden />} onClick={toFailure} title={w.toFailure}>
            {w.failure}
          </Button>
        ) : null}
        <IconButton
          label={w.wrap}
          icon={<WrapText aria-hidden />}
          aria-pressed={wrap}
          className={classNames(wrap && styles.on)}
          onClick={() => setPreferences({ wrap: !wrap })}
        />
        <Menu
          trigger={
            <IconButton
              label={w.times}
              icon={<Clock aria-hidden />}
              className={classNames(times !== 'off' && styles.on)}
            />
          }
        >
          <MenuChoice
            label={w.times}
            value={times}
            options={timeModes.map((value) => ({ value, label: timeTexts[value] }))}
            onChange={(mode) => setPreferences({ times: mode })}
          />
        </Menu>
        <MoreMenu source={source} folds={view.folds} onHelp={onHelp} />
        <IconButton
          label={isFull ? w.leaveFullScreen : w.fullScreen}
          icon={isFull ? <Minimize2 aria-hidden /> : <Maximize2 aria-hidden />}
          onClick={onFull}
        />
      </div>
    </div>
  );
}

function MoreMenu({ source, folds, onHelp }: { source: LogSource; folds: Folds; onHelp(): void }) {
  const w = useWords(words);
  return (
    <Menu trigger={<IconButton label={w.more} icon={<Ellipsis aria-hidden />} />}>
      <MenuItem icon={<FileText />} render={<a href={source.rawUrl()} target="_blank" rel="noopener" />}>
        {w.raw}
      </MenuItem>
      <MenuItem icon={<Download />} render={<a href={source.rawUrl()} download={source.fileName} />}>
        {w.download}
      </MenuItem>
      <MenuItem icon={<Download />} render={<a href={source.rawUrl({ plain: true })} download={source.fileName} />}>
        {w.downloadPlain}
      </MenuItem>
      <MenuItem
        icon={<Download />}
        render={<a href={source.rawUrl({ plain: true, timestamps: true })} download={source.fileName} />}
      >
        {w.downloadTimes}
      </MenuItem>
      <MenuLine />
      <MenuItem icon={<ChevronsDownUp />} onSelect={folds.foldLoaded}>
        {w.foldAll}
      </MenuItem>
      <MenuItem icon={<ChevronsUpDown />} disabled={folds.isEmpty} onSelect={folds.unfoldAll}>
        {w.unfoldAll}
      </MenuItem>
      <MenuLine />
      <MenuItem icon={<Keyboard />} onSelect={onHelp}>
        {w.shortcuts}
      </MenuItem>
    </Menu>
  );
}
