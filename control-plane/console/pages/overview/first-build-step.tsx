import CircleCheck from 'lucide-react/icons/circle-check';
import { useState } from 'react';
import type { ListedBuild } from '../../../../client/types.js';
import { hasEnded } from '../../data/builds.js';
import { useMay } from '../../data/session.js';
import { LinkButton } from '../../design/button.js';
import { Code } from '../../design/code.js';
import { Link } from '../../design/link.js';
import { Tabs } from '../../design/tabs.js';
import { useWords } from '../../words/use-words.js';
import { checklistWords } from './checklist-words.js';
import { withCommandLine, withCurl } from './first-build.js';
import styles from './overview.module.css';

export interface FirstBuildStepProps {
  /** Null: it is not known to this page. */
  readonly apiKey: string | null;
  /** The organization has a key. */
  readonly keyed: boolean;
  /** A build succeeded. */
  readonly built: boolean;
  /** A build that succeeded, else the newest. */
  readonly shown: ListedBuild | undefined;
  readonly hasMac: boolean;
}

/** The commands, and then what becomes of the build; after a failure both. */
export function FirstBuildStep({ apiKey, keyed, built, shown, hasMac }: FirstBuildStepProps) {
  const under = shown !== undefined && !hasEnded(shown);
  return (
    <>
      {shown ? <Progress build={shown} built={built} /> : null}
      {built || under ? null : <Commands apiKey={apiKey} keyed={keyed} hasMac={hasMac} again={shown !== undefined} />}
    </>
  );
}

function Commands({
  apiKey,
  keyed,
  hasMac,
  again,
}: Pick<FirstBuildStepProps, 'apiKey' | 'keyed' | 'hasMac'> & { again: boolean }) {
  const { build: w } = useWords(checklistWords);
  const manages = useMay(['owner', 'admin']);
  const [way, setWay] = useState<'command' | 'curl'>('command');
  const given = { site: location.origin, key: apiKey };
  return (
    <>
      <p>{way === 'curl' ? w.curlText : w.text}</p>
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
      {apiKey === null && (keyed || !manages) ? (
        <p>
          {w.withoutKey} {manages ? <Link to="/o/$org/keys">{w.anotherKey}</Link> : null}
        </p>
      ) : null}
      {apiKey === null && !keyed && manages ? <p>{w.keyFirst}</p> : null}
      {hasMac ? null : <p>{w.noMac}</p>}
      {again ? null : (
        <p className={styles.live} role="status">
          <span className={styles.pulse} aria-hidden="true" />
          {w.waiting}
        </p>
      )}
    </>
  );
}

function Progress({ build, built }: { build: ListedBuild; built: boolean }) {
  const { build: w } = useWords(checklistWords);
  const ended = hasEnded(build);
  const text = () => {
    if (built) return w.succeeded;
    return build.status === 'queued' || build.status === 'running' ? w[build.status] : w.failed;
  };
  return (
    <>
      <p className={built ? styles.done : styles.live} role="status">
        {built ? <CircleCheck aria-hidden /> : null}
        {ended || built ? null : <span className={styles.pulse} aria-hidden="true" />}
        {text()}
      </p>
      <LinkButton to="/o/$org/builds/$build_id" params={{ build_id: build.id }}>
        {ended ? w.open : w.watch}
      </LinkButton>
    </>
  );
}
