import CircleCheck from 'lucide-react/icons/circle-check';
import { useState } from 'react';
import type { Build } from '../../../../client/types.js';
import { LinkButton } from '../../design/button.js';
import { Code } from '../../design/code.js';
import { Tabs } from '../../design/tabs.js';
import { useWords } from '../../words/use-words.js';
import { checklistWords } from './checklist-words.js';
import { withCommandLine, withCurl } from './first-build.js';
import styles from './overview.module.css';

export interface FirstBuildStepProps {
  readonly apiKey: string | null;
  /** The organization's first build, if there is one. */
  readonly first: Build | undefined;
  readonly hasMac: boolean;
}

/** The commands, and then what becomes of the build. */
export function FirstBuildStep({ apiKey, first, hasMac }: FirstBuildStepProps) {
  const { build: w } = useWords(checklistWords);
  const [way, setWay] = useState<'command' | 'curl'>('command');
  if (first) return <Progress first={first} />;
  const given = { site: location.origin, key: apiKey };
  return (
    <>
      <p>{w.text}</p>
      <div className={styles.full}>
        <Tabs
          label={w.how}
          value={way}
          onChange={setWay}
          tabs={[
            {
              value: 'command',
              label: w.viaCommand,
              content: <Code label={w.command}>{withCommandLine(given)}</Code>,
            },
            { value: 'curl', label: w.viaCurl, content: <Code label={w.command}>{withCurl(given)}</Code> },
          ]}
        />
      </div>
      {apiKey === null ? <p>{w.withoutKey}</p> : null}
      {hasMac ? null : <p>{w.noMac}</p>}
      <p className={styles.live} role="status">
        <span className={styles.pulse} aria-hidden="true" />
        {w.waiting}
      </p>
    </>
  );
}

function Progress({ first }: { first: Build }) {
  const { build: w } = useWords(checklistWords);
  const { status } = first;
  const ended = status !== 'queued' && status !== 'running';
  return (
    <>
      <p className={status === 'succeeded' ? styles.done : styles.live} role="status">
        {status === 'succeeded' ? <CircleCheck aria-hidden /> : null}
        {ended ? null : <span className={styles.pulse} aria-hidden="true" />}
        {status === 'queued' || status === 'running' || status === 'succeeded' ? w[status] : w.ended}
      </p>
      <LinkButton to="/o/$org/builds/$build_id" params={{ build_id: first.id }}>
        {ended ? w.open : w.watch}
      </LinkButton>
    </>
  );
}
