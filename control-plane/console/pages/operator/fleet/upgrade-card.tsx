// The upgrade of agents that runs, or has failed.

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { say } from '../../../../../shared/messages/message.js';
import { upgradeErrors } from '../../../../../shared/messages/upgrade-errors.js';
import { upgradeQuery } from '../../../data/operator.js';
import { Time } from '../../../design/amounts.js';
import { Badge } from '../../../design/badge.js';
import { Button } from '../../../design/button.js';
import { Card } from '../../../design/card.js';
import { Link } from '../../../design/link.js';
import { Note, Stack } from '../../../design/page.js';
import { Progress } from '../../../design/progress.js';
import { Table } from '../../../design/table.js';
import { useLanguage } from '../../../words/language.js';
import { useWords } from '../../../words/use-words.js';
import { OperationDialog } from '../parts/operation-dialog.js';
import { words } from './words.js';

const tones = {
  waiting: 'neutral',
  upgrading: 'info',
  done: 'good',
  failed: 'bad',
  left_out: 'warn',
} as const;

export function UpgradeCard() {
  const w = useWords(words);
  const language = useLanguage();
  const [asks, setAsks] = useState(false);
  const { data } = useQuery(upgradeQuery);
  const upgrade = data?.upgrade;
  if (!upgrade || upgrade.status === 'done' || upgrade.status === 'cancelled') return null;
  const { hosts_total: total, hosts_done: done } = upgrade;
  const failed = upgrade.status === 'failed';
  return (
    <Card
      title={w.upgrade(upgrade.version)}
      actions={
        <Button small onClick={() => setAsks(true)}>
          {failed ? w.dismiss : w.cancelUpgrade}
        </Button>
      }
    >
      <Stack>
        <Progress
          label={w.upgradeStatus[upgrade.status]}
          value={total === 0 ? null : done / total}
          text={w.progress(done, total)}
        />
        {upgrade.error_message ? (
          <p>{[upgrade.error_host, say(upgradeErrors, language, upgrade.error_message)].filter(Boolean).join(': ')}</p>
        ) : null}
        {upgrade.soak_until && !failed ? (
          <Note>
            {w.follow} <Time at={upgrade.soak_until} exact />
          </Note>
        ) : null}
        <Table
          label={w.upgrade(upgrade.version)}
          rows={upgrade.hosts}
          rowKey={(one) => one.host_id}
          columns={[
            {
              key: 'host',
              header: w.host,
              main: true,
              cell: (one) => (
                <Link to="/operator/hosts/$host_id" params={{ host_id: one.host_id }}>
                  {one.name}
                </Link>
              ),
            },
            {
              key: 'state',
              header: w.state,
              cell: (one) => (
                <>
                  <Badge tone={tones[one.state]}>{w.hostState[one.state]}</Badge> {one.canary ? w.canary : ''}{' '}
                  {one.error_message === null ? '' : say(upgradeErrors, language, one.error_message)}
                </>
              ),
            },
            { key: 'version', header: w.version, narrow: true, cell: (one) => one.agent_version ?? '–' },
          ]}
        />
        {total > upgrade.hosts.length ? <Note>{w.more(total - upgrade.hosts.length)}</Note> : null}
      </Stack>
      <OperationDialog
        open={asks}
        onOpenChange={setAsks}
        title={failed ? w.dismiss : w.cancelUpgrade}
        operation={{ name: 'host.upgrade.cancel', input: {} }}
        action={failed ? w.dismiss : w.cancelUpgrade}
      >
        <p>{failed ? w.dismissText : w.cancelText}</p>
      </OperationDialog>
    </Card>
  );
}
