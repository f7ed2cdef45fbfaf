import type { FleetHostDetail } from '../../../../../client/types.js';
import { findingFixes } from '../../../../../shared/messages/finding-fixes.js';
import { findings as foundSentences } from '../../../../../shared/messages/findings.js';
import { say } from '../../../../../shared/messages/message.js';
import { Duration, RelativeTime, Time } from '../../../design/amounts.js';
import { Badge } from '../../../design/badge.js';
import { Card } from '../../../design/card.js';
import { Note } from '../../../design/page.js';
import { Table } from '../../../design/table.js';
import { useLanguage } from '../../../words/language.js';
import { useWords } from '../../../words/use-words.js';
import { words as parts } from '../parts/words.js';
import { words } from './words.js';

const tones = { ok: 'good', warning: 'warn', failed: 'bad' } as const;
const order = ['failed', 'warning', 'ok'];

export function HealthCard({ host }: { host: FleetHostDetail }) {
  const w = useWords(words);
  const p = useWords(parts);
  const language = useLanguage();
  const findings = host.health_findings;
  if (findings === null) {
    return (
      <Card title={w.health}>
        <Note>{w.noHealth}</Note>
      </Card>
    );
  }
  const rows = [...findings].sort((a, b) => order.indexOf(a.status) - order.indexOf(b.status));
  const checked = host.health_checked_at;
  return (
    <Card
      title={w.health}
      flush
      actions={
        checked === null ? null : (
          <Note>
            {w.checked} <RelativeTime at={checked} />
          </Note>
        )
      }
    >
      <Table
        label={w.health}
        rows={rows}
        rowKey={(one) => `${one.check} ${one.found}`}
        columns={[
          {
            key: 'check',
            header: w.check,
            main: true,
            narrow: true,
            cell: (one) => <code>{one.check ?? '?'}</code>,
          },
          {
            key: 'status',
            header: w.state,
            narrow: true,
            cell: (one) => <Badge tone={tones[one.status]}>{p.health[one.status]}</Badge>,
          },
          { key: 'found', header: w.found, cell: (one) => say(foundSentences, language, one.found_message) },
          {
            key: 'fix',
            header: w.fix,
            cell: (one) => (one.fix_message ? <code>{say(findingFixes, language, one.fix_message)}</code> : ''),
          },
        ]}
      />
    </Card>
  );
}

export function ConnectionsCard({ host }: { host: FleetHostDetail }) {
  const w = useWords(words);
  if (host.connections.length === 0) return null;
  return (
    <Card title={w.connections} flush>
      <Table
        label={w.connections}
        rows={host.connections}
        rowKey={(one) => one.connected_at ?? ''}
        columns={[
          {
            key: 'from',
            header: w.from,
            main: true,
            cell: (one) => (one.connected_at === null ? '' : <Time at={one.connected_at} exact />),
          },
          {
            key: 'to',
            header: w.to,
            cell: (one) => (one.ended_at === null ? w.now : <Time at={one.ended_at} exact />),
          },
          {
            key: 'length',
            header: w.connected,
            narrow: true,
            cell: (one) => (one.connected_at === null ? '' : <Duration from={one.connected_at} to={one.ended_at} />),
          },
          { key: 'version', header: w.version, narrow: true, cell: (one) => one.agent_version },
        ]}
      />
    </Card>
  );
}
