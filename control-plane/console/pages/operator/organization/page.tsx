// One organization: its people, limits, storage and Macs.
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { OperatorOrganization } from '../../../../../client/types.js';
import { organizationQuery } from '../../../data/operator.js';
import { Time } from '../../../design/amounts.js';
import { Button, LinkButton } from '../../../design/button.js';
import { Card } from '../../../design/card.js';
import { DangerCard } from '../../../design/danger-card.js';
import { Facts } from '../../../design/facts.js';
import { Link } from '../../../design/link.js';
import { Columns, Page } from '../../../design/page.js';
import { useWords } from '../../../words/use-words.js';
import { OrganizationStatus } from '../organizations/page.js';
import { OperationDialog } from '../parts/operation-dialog.js';
import { Loaded } from '../parts/paged-table.js';
import { LimitsCard } from './limits-card.js';
import { MacsCard } from './macs-card.js';
import { People } from './people-card.js';
import { words } from './words.js';

export default function OrganizationPage() {
  const w = useWords(words);
  const { org_id = '' } = useParams({ strict: false }) as { org_id?: string };
  const query = useQuery(organizationQuery(org_id));
  const found = query.data;
  return (
    <Page
      title={found?.name ?? w.title}
      crumbs={<Link to="/operator/organizations">{w.all}</Link>}
      lead={found ? <OrganizationStatus status={found.status} blocked={found.payments_blocked} /> : undefined}
      actions={found ? <Actions of={found} /> : undefined}
    >
      <Loaded query={query} lines={12}>
        {(organization) => (
          <>
            <Columns>
              <Card title={w.facts}>
                <Facts
                  facts={[
                    { label: w.id, value: <code>{organization.org_id}</code> },
                    { label: w.slug, value: organization.slug },
                    { label: w.created, value: <Time at={organization.created_at} /> },
                    { label: w.held, value: organization.usage.held_slots },
                  ]}
                />
              </Card>
              <LimitsCard of={organization} />
            </Columns>
            <People of={organization} />
            <MacsCard of={organization} />
            <Danger of={organization} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

type Asked = 'suspend' | 'resume' | 'block-payments' | 'unblock-payments';

function Actions({ of }: { of: OperatorOrganization }) {
  const w = useWords(words);
  const [asked, setAsked] = useState<Asked | null>(null);
  return (
    <>
      <LinkButton to="/operator/orders" search={{ org: of.slug }}>
        {w.orders}
      </LinkButton>
      <LinkButton to="/operator/audit" search={{ org: of.slug }}>
        {w.audit}
      </LinkButton>
      {of.payments_blocked ? <Button onClick={() => setAsked('unblock-payments')}>{w.unblock}</Button> : null}
      {of.status === 'suspended' ? <Button onClick={() => setAsked('resume')}>{w.resume}</Button> : null}
      <AskedDialog of={of} asked={asked} onClose={() => setAsked(null)} />
    </>
  );
}

function Danger({ of }: { of: OperatorOrganization }) {
  const w = useWords(words);
  const [asked, setAsked] = useState<Asked | null>(null);
  const block = { action: w.block, text: w.blockText, onSelect: () => setAsked('block-payments') };
  const suspend = { action: w.suspend, text: w.suspendText, onSelect: () => setAsked('suspend') };
  const actions = [...(of.payments_blocked ? [] : [block]), ...(of.status === 'suspended' ? [] : [suspend])];
  return (
    <>
      <DangerCard actions={actions} />
      <AskedDialog of={of} asked={asked} onClose={() => setAsked(null)} />
    </>
  );
}

function AskedDialog({
  of: { org_id, slug, name },
  asked,
  onClose,
}: {
  of: OperatorOrganization;
  asked: Asked | null;
  onClose(): void;
}) {
  const w = useWords(words);
  if (asked === null) return null;
  const { action, title, text } = {
    suspend: { action: w.suspend, title: w.suspendTitle(name), text: null },
    resume: { action: w.resume, title: w.resumeTitle(name), text: w.resumeText },
    'block-payments': { action: w.block, title: w.blockTitle(name), text: w.blockText },
    'unblock-payments': { action: w.unblock, title: w.unblockTitle(name), text: w.unblockText },
  }[asked];
  return (
    <OperationDialog
      open
      title={title}
      onOpenChange={onClose}
      operation={{ name: `org.${asked}`, input: { org: org_id } }}
      action={action}
      danger={asked === 'suspend' || asked === 'block-payments'}
      loses={asked === 'suspend' ? w.suspendLoses : []}
      typed={asked === 'suspend' ? slug : undefined}
    >
      {text === null ? null : <p>{text}</p>}
    </OperationDialog>
  );
}
