import Monitor from 'lucide-react/icons/monitor';
import type { AgentMac } from '../../../../client/types.js';
import { useTierName } from '../../data/catalog.js';
import { useMay, useOrganization } from '../../data/session.js';
import { LinkButton } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { EmptyState } from '../../design/empty-state.js';
import { Note } from '../../design/page.js';
import { MacState } from '../../design/status-badges.js';
import { Table } from '../../design/table.js';
import { MacLink } from '../../macs/mac-link.js';
import { isEndless, isPaused, macTimeLeft } from '../../macs/time-left.js';
import { useFormat } from '../../words/language.js';
import { useNow } from '../../words/use-now.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

/** More are on the page of Macs. */
const SHOWN = 8;

export function MacsCard({ macs, anyWaits }: { macs: readonly AgentMac[]; anyWaits: boolean }) {
  const { macs: w, rent } = useWords(words);
  const mayRent = useMay(['owner', 'admin']);
  const tierName = useTierName(useOrganization());
  return (
    <Card
      title={w.title}
      flush
      actions={
        macs.length > 0 ? (
          <LinkButton variant="link" to="/o/$org/macs">
            {w.all}
          </LinkButton>
        ) : null
      }
    >
      {macs.length === 0 ? (
        <EmptyState
          icon={<Monitor />}
          title={w.none}
          action={
            mayRent ? (
              <LinkButton variant="primary" to="/o/$org/rent">
                {rent}
              </LinkButton>
            ) : null
          }
        >
          {anyWaits ? <p>{w.noneWaits}</p> : null}
          <p>{mayRent ? w.noneText : w.noneAsk}</p>
        </EmptyState>
      ) : (
        <Table
          label={w.title}
          rows={macs.slice(0, SHOWN)}
          rowKey={(mac) => mac.rental_id}
          columns={[
            {
              key: 'mac',
              header: w.mac,
              main: true,
              cell: (mac) => (
                <div>
                  <MacLink id={mac.rental_id} name={mac.name} />
                  <Note>{[tierName(mac.tier), mac.xcode ? `Xcode ${mac.xcode}` : ''].filter(Boolean).join(' · ')}</Note>
                </div>
              ),
            },
            { key: 'state', header: w.state, narrow: true, cell: (mac) => <MacState state={mac.state} /> },
            { key: 'left', header: w.left, numeric: true, narrow: true, cell: (mac) => <Left mac={mac} /> },
          ]}
        />
      )}
    </Card>
  );
}

function Left({ mac }: { mac: AgentMac }) {
  const { macs: w } = useWords(words);
  const format = useFormat();
  const now = useNow();
  if (mac.state === 'reserved' && mac.starts_at) return w.starts(format.dateTime(mac.starts_at));
  if (mac.ends_at === null || isEndless(mac)) return w.noEnd;
  const left = format.left(macTimeLeft(mac, now));
  if (isPaused(mac)) return left;
  return (
    <time dateTime={mac.ends_at} title={`${format.dateTime(mac.ends_at)} · ${format.utc(mac.ends_at)}`}>
      {left}
    </time>
  );
}
