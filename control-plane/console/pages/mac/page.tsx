// `/o/:org/macs/:rental_id`: a rented Mac, what happens on it, and what can be done with it.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate, useParams } from '@tanstack/react-router';
import Monitor from 'lucide-react/icons/monitor';
import { useState } from 'react';
import type { RentalDetail } from '../../../../client/types.js';
import { Failure } from '../../data/failure.js';
import { macQuery, macsOf, macsQuery } from '../../data/macs.js';
import { MANAGERS, useMay, useOrganization } from '../../data/session.js';
import { Button, LinkButton } from '../../design/button.js';
import { DangerCard } from '../../design/danger-card.js';
import { EmptyState } from '../../design/empty-state.js';
import { Link } from '../../design/link.js';
import { Columns, Page, Row, Stack } from '../../design/page.js';
import { QueryState } from '../../design/query-state.js';
import { MacState } from '../../design/status-badges.js';
import { endedMac } from '../../macs/ended-mac.js';
import { MacId } from '../../macs/mac-link.js';
import { Renamable } from '../../macs/renamable.js';
import { PageMissing } from '../../shell/page-states.js';
import { useFormat } from '../../words/language.js';
import { shared } from '../../words/shared.js';
import { useWords } from '../../words/use-words.js';
import { BuildsCard } from './builds-card.js';
import { ExtendDialog } from './extend-dialog.js';
import { JobCard } from './job-card.js';
import { MakingCard } from './making-card.js';
import { useNoExtend } from './no-extend.js';
import { RentalCard } from './rental-card.js';
import { ResetDialog } from './reset-dialog.js';
import { SetupCard } from './setup-card.js';
import { TimelineCard } from './timeline-card.js';
import { words } from './words.js';

export default function MacPage() {
  const w = useWords(words);
  const { rental_id: rentalId = '' } = useParams({ strict: false });
  const org = useOrganization();
  const query = useQuery(macQuery(org, rentalId));
  // The name may be known from a list that was read before.
  const lists = useInfiniteQuery({ ...macsQuery(org), enabled: false });
  if (isMissing(query.error)) {
    const ended = endedMac(query.error);
    // Otherwise there has never been such a Mac, or it is another organization's.
    return ended === null ? <PageMissing /> : <EndedMac rentalId={rentalId} name={ended.name} />;
  }
  if (!query.data) {
    const listed = macsOf(lists.data)?.find(({ rental_id }) => rental_id === rentalId);
    return (
      <Page
        title={listed?.name ?? w.mac}
        lead={<MacId id={rentalId} />}
        crumbs={<Link to="/o/$org/macs">{w.macs}</Link>}
      >
        <QueryState query={query} lines={10} />
      </Page>
    );
  }
  return <ThereMac mac={query.data} />;
}

const isMissing = (error: unknown) => error instanceof Failure && error.code === 'rental_not_found';

/** What is left of a Mac after its rental: builds and timeline. */
function EndedMac({ rentalId, name }: { rentalId: string; name: string }) {
  const w = useWords(words);
  return (
    <Page title={name} lead={<MacId id={rentalId} />} crumbs={<Link to="/o/$org/macs">{w.macs}</Link>}>
      <EmptyState
        icon={<Monitor />}
        title={w.goneTitle}
        action={<LinkButton to="/o/$org/rent">{w.rentAnother}</LinkButton>}
      >
        {w.gone}
      </EmptyState>
      <BuildsCard rentalId={rentalId} mac={null} />
      <TimelineCard rentalId={rentalId} />
    </Page>
  );
}

function ThereMac({ mac }: { mac: RentalDetail }) {
  const w = useWords(words);
  const noExtend = useNoExtend();
  const common = useWords(shared);
  const format = useFormat();
  const mayManage = useMay(MANAGERS);
  // `#extend` opens the dialog: other pages lead there.
  const { hash } = useLocation();
  const navigate = useNavigate();
  const isAsked = hash === 'extend' && mac.can_extend && mayManage;
  const [chosen, setDialog] = useState<'reset' | 'extend' | null>(null);
  const dialog = isAsked ? 'extend' : chosen;
  const close = (open: boolean) => {
    if (open) return;
    setDialog(null);
    if (hash !== '') void navigate({ to: '.', search: true, hash: '', replace: true });
  };
  const needsRole = mayManage ? null : common.needsRole(format.list([common.role.owner, common.role.admin]));
  const refused = needsRole ?? (mac.state === 'reserved' ? w.reserved : null);
  return (
    <Page
      title={mac.name}
      around={(heading) => (
        <Renamable mac={mac} heading>
          {heading}
        </Renamable>
      )}
      lead={
        <Row>
          <MacState state={mac.state} />
          <MacId id={mac.rental_id} />
        </Row>
      }
      crumbs={<Link to="/o/$org/macs">{w.macs}</Link>}
      actions={
        mac.hours === null ? null : (
          <Button variant="primary" refused={needsRole ?? noExtend(mac)} onClick={() => setDialog('extend')}>
            {w.extend}
          </Button>
        )
      }
    >
      <MakingCard mac={mac} hasJob={mac.op?.status === 'running'} />
      {mac.op ? <JobCard job={mac.op} /> : null}
      <Columns>
        <Stack>
          <RentalCard mac={mac} />
          <SetupCard mac={mac} refused={refused} />
        </Stack>
        <Stack>
          <BuildsCard rentalId={mac.rental_id} mac={mac} />
          <TimelineCard rentalId={mac.rental_id} />
        </Stack>
      </Columns>
      <DangerCard actions={[{ action: w.reset, text: w.resetText, refused, onSelect: () => setDialog('reset') }]} />
      <ResetDialog mac={mac} open={dialog === 'reset'} onOpenChange={close} />
      <ExtendDialog macs={[mac]} open={dialog === 'extend'} onOpenChange={close} />
    </Page>
  );
}
