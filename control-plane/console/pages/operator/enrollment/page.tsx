// Tokens with which machines become hosts, and machines that wait for approval.

import { useQuery } from '@tanstack/react-query';
import KeyRound from 'lucide-react/icons/key-round';
import PlugZap from 'lucide-react/icons/plug-zap';
import { useState } from 'react';
import type { Enrollments, EnrollmentToken, WaitingMachine } from '../../../../../client/types.js';
import { enrollmentsQuery } from '../../../data/operator.js';
import { useTimeLimit } from '../../../data/session.js';
import { RelativeTime } from '../../../design/amounts.js';
import { Badge } from '../../../design/badge.js';
import { Button } from '../../../design/button.js';
import { Card } from '../../../design/card.js';
import { Code } from '../../../design/code.js';
import { EmptyState } from '../../../design/empty-state.js';
import { Page } from '../../../design/page.js';
import { Table } from '../../../design/table.js';
import { useWords } from '../../../words/use-words.js';
import { OperationDialog } from '../parts/operation-dialog.js';
import { Loaded } from '../parts/paged-table.js';
import { words as parts } from '../parts/words.js';
import { ApproveDialog } from './approve-dialog.js';
import { TokenDialog } from './token-dialog.js';
import { words } from './words.js';

export default function EnrollmentPage() {
  const w = useWords(words);
  const query = useQuery(enrollmentsQuery);
  const [creates, setCreates] = useState(false);
  return (
    <Page
      title={w.title}
      lead={w.lead}
      actions={
        <Button variant="primary" icon={<KeyRound aria-hidden />} onClick={() => setCreates(true)}>
          {w.create}
        </Button>
      }
    >
      <Loaded query={query}>
        {(found) => (
          <>
            <Machines found={found} />
            <Tokens tokens={found.tokens} />
            {creates ? <TokenDialog install={found.install.with_token} onClose={() => setCreates(false)} /> : null}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Machines({ found }: { found: Enrollments }) {
  const w = useWords(words);
  const [machine, setMachine] = useState<WaitingMachine | null>(null);
  return (
    <Card title={w.machines} flush>
      {found.approvals.length === 0 ? (
        <EmptyState icon={<PlugZap />} title={w.noMachines}>
          <p>{w.noMachinesText}</p>
          <Code label={w.installCode}>{found.install.with_code}</Code>
        </EmptyState>
      ) : (
        <Table
          label={w.machines}
          rows={found.approvals}
          rowKey={(one) => one.code}
          columns={[
            { key: 'name', header: w.machine, main: true, cell: (one) => one.name },
            { key: 'code', header: w.code, narrow: true, cell: (one) => <code>{one.code}</code> },
            { key: 'ip', header: w.address, cell: (one) => one.ip },
            { key: 'hardware', header: w.hardware, cell: (one) => `${one.chip}, ${one.os}` },
            { key: 'agent', header: w.agent, narrow: true, cell: (one) => one.agent_version },
            {
              key: 'expires',
              header: w.expires,
              narrow: true,
              cell: (one) => (one.expires_at === null ? '' : <RelativeTime at={one.expires_at} />),
            },
            {
              key: 'approve',
              header: w.approve,
              quiet: true,
              narrow: true,
              cell: (one) => (
                <Button small variant="primary" onClick={() => setMachine(one)}>
                  {w.approve}
                </Button>
              ),
            },
          ]}
        />
      )}
      {machine ? <ApproveDialog machine={machine} onClose={() => setMachine(null)} /> : null}
    </Card>
  );
}

function Tokens({ tokens }: { tokens: readonly EnrollmentToken[] }) {
  const w = useWords(words);
  const tokenTime = useTimeLimit('enrolment_s');
  const p = useWords(parts);
  const [revoked, setRevoked] = useState<string | null>(null);
  return (
    <Card title={w.tokens} flush>
      {tokens.length === 0 ? (
        <EmptyState icon={<KeyRound />} title={w.noTokens}>
          {w.noTokensText(tokenTime)}
        </EmptyState>
      ) : (
        <Table
          label={w.tokens}
          rows={tokens}
          rowKey={(one) => one.id}
          columns={[
            { key: 'id', header: w.token, main: true, cell: (one) => <code>{one.id}</code> },
            {
              key: 'state',
              header: w.state,
              narrow: true,
              cell: (one) => <Badge tone={one.state === 'valid' ? 'good' : 'neutral'}>{w.states[one.state]}</Badge>,
            },
            { key: 'used', header: w.used, narrow: true, cell: (one) => w.usedOf(one.used, one.uses) },
            {
              key: 'host',
              header: w.host,
              cell: (one) =>
                [
                  one.name,
                  one.tier ?? p.noTier,
                  p.slots(one.slots),
                  ...Object.entries(one.labels).map(([key, value]) => `${key}=${value}`),
                ]
                  .filter(Boolean)
                  .join(' · '),
            },
            {
              key: 'expires',
              header: w.expires,
              narrow: true,
              cell: (one) => (one.expires_at === null ? '' : <RelativeTime at={one.expires_at} />),
            },
            {
              key: 'revoke',
              header: w.revoke,
              quiet: true,
              narrow: true,
              cell: (one) =>
                one.state === 'valid' ? (
                  <Button small onClick={() => setRevoked(one.id)}>
                    {w.revoke}
                  </Button>
                ) : null,
            },
          ]}
        />
      )}
      <OperationDialog
        open={revoked !== null}
        onOpenChange={() => setRevoked(null)}
        title={w.revokeTitle(revoked ?? '')}
        operation={{ name: 'host.token.revoke', input: { id: revoked ?? '' } }}
        action={w.revoke}
        danger
      >
        <p>{w.revokeText}</p>
      </OperationDialog>
    </Card>
  );
}
