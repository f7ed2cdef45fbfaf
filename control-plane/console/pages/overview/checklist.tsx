// The first steps of a new organization: a key, a build, a webhook. Hidden once all are done, or by the person.
import { useQuery } from '@tanstack/react-query';
import Check from 'lucide-react/icons/check';
import { type ReactNode, useEffect, useState } from 'react';
import type { AgentStatus } from '../../../../client/types.js';
import { useMay, useOrganization } from '../../data/session.js';
import { Button, LinkButton } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { useWords } from '../../words/use-words.js';
import { anyKeyQuery, anySuccessQuery, anyWebhookQuery, useFirstKey } from './checklist-data.js';
import { checklistWords } from './checklist-words.js';
import { FirstBuildStep } from './first-build-step.js';
import { FirstKeyStep } from './first-key-step.js';
import { newestBuild } from './newest-build.js';
import styles from './overview.module.css';

export interface ChecklistProps {
  readonly status: AgentStatus;
  /** The person has hidden it. */
  readonly hidden: boolean;
  hide(): void;
}

export function Checklist({ status, hidden, hide }: ChecklistProps) {
  const w = useWords(checklistWords);
  const org = useOrganization();
  const manages = useMay(['owner', 'admin']);
  // Here, because its step ends when the page hears of the key, which may be before the answer with its value.
  const create = useFirstKey(org);
  const [isStored, setStored] = useState(false);
  const keys = useQuery(anyKeyQuery(org, manages && !hidden));
  const webhooks = useQuery({ ...anyWebhookQuery(org), enabled: !hidden });
  const newest = newestBuild(status);
  const good = status.last_builds.find((build) => build.status === 'succeeded');
  // The last builds of a busy organization may all have failed, or be still running.
  const successes = useQuery({ ...anySuccessQuery(org), enabled: !hidden && !!newest && !good });
  const built = good !== undefined || successes.data === true;
  // A developer cannot see keys; a build was submitted with one.
  const keyed = keys.data === true || newest !== undefined;
  const known =
    webhooks.data !== undefined &&
    (!manages || keys.data !== undefined) &&
    (!newest || built || successes.data !== undefined);
  const complete = known && keyed && built && webhooks.data === true;
  const [seenOpen, setSeenOpen] = useState(false);
  useEffect(() => {
    if (known && !complete) setSeenOpen(true);
  }, [known, complete]);
  // The key is stored nowhere else.
  const keeps = create.data !== undefined && !isStored;
  if (!keeps && (hidden || !known || (complete && !seenOpen))) return null;
  return (
    <Card
      title={w.title}
      flush
      actions={
        <Button variant="link" refused={keeps ? w.key.store : null} onClick={hide}>
          {w.dismiss}
        </Button>
      }
    >
      <ol className={styles.steps}>
        <Step number={1} title={w.key.title} done={keyed}>
          {!keyed || !create.isIdle ? <FirstKeyStep create={create} onStored={() => setStored(true)} /> : null}
        </Step>
        <Step number={2} title={w.build.title} done={built}>
          <FirstBuildStep
            keyed={keyed}
            built={built}
            apiKey={create.data?.key ?? null}
            shown={good ?? newest}
            hasMac={status.macs.length > 0}
          />
        </Step>
        <Step number={3} title={w.webhook.title} done={webhooks.data === true}>
          {webhooks.data ? null : (
            <>
              <p>{w.webhook.text}</p>
              {manages ? <LinkButton to="/o/$org/webhooks">{w.webhook.add}</LinkButton> : <p>{w.webhook.ask}</p>}
            </>
          )}
        </Step>
      </ol>
      {complete ? (
        <p className={styles.counts} role="status">
          {w.complete}
        </p>
      ) : null}
    </Card>
  );
}

function Step({
  number,
  title,
  done,
  children,
}: {
  number: number;
  title: string;
  done: boolean;
  children: ReactNode;
}) {
  const w = useWords(checklistWords);
  return (
    <li className={styles.step}>
      <span className={styles.number} data-done={done || undefined}>
        {done ? <Check aria-hidden /> : <span aria-hidden="true">{number}</span>}
      </span>
      <h3 className={styles.name}>
        {title}
        {done ? <span className="unseen"> ({w.done})</span> : null}
      </h3>
      {children ? <div className={styles.content}>{children}</div> : null}
    </li>
  );
}
