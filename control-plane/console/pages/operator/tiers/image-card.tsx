// The image of a tier, and what each host has of it.

import { useState } from 'react';
import type { ImageOnHost, TierImage } from '../../../../../client/types.js';
import { imageErrors } from '../../../../../shared/messages/image-errors.js';
import { say } from '../../../../../shared/messages/message.js';
import { Bytes } from '../../../design/amounts.js';
import { Badge } from '../../../design/badge.js';
import { Button } from '../../../design/button.js';
import { Card } from '../../../design/card.js';
import { Facts } from '../../../design/facts.js';
import { Link } from '../../../design/link.js';
import { Stack } from '../../../design/page.js';
import { Table } from '../../../design/table.js';
import { useFormat, useLanguage } from '../../../words/language.js';
import { useWords } from '../../../words/use-words.js';
import { OperationDialog } from '../parts/operation-dialog.js';
import { words } from './words.js';

export function ImageCard({ image }: { image: TierImage }) {
  const w = useWords(words);
  const language = useLanguage();
  const [asked, setAsked] = useState<'pull' | 'resolve' | null>(null);
  const { tier, hosts, offers } = image;
  const close = () => setAsked(null);
  return (
    <Card
      title={`${w.image}: ${tier}`}
      actions={
        <>
          <Button small onClick={() => setAsked('resolve')}>
            {w.resolve}
          </Button>
          <Button small onClick={() => setAsked('pull')}>
            {w.pull}
          </Button>
        </>
      }
    >
      <Stack>
        <Facts
          facts={[
            { label: w.image, value: <code>{image.image ?? ''}</code> },
            {
              label: w.digest,
              value: image.image_digest === null ? w.unresolved : <code>{image.image_digest}</code>,
            },
            offers && { label: w.macos, value: offers.macos },
            offers && {
              label: w.xcode,
              value: offers.xcodes.map(({ version }) => version).join(', ') || w.none,
            },
            { label: w.holders, value: w.holding(hosts.filter(({ holds }) => holds).length, hosts.length) },
          ]}
        />
        {hosts.length === 0 ? null : (
          <Table
            label={`${w.image}: ${tier}`}
            rows={hosts}
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
              { key: 'state', header: w.state, cell: (one) => <State of={one} /> },
              {
                key: 'bytes',
                header: w.size,
                numeric: true,
                cell: (one) => (one.bytes === null ? '' : <Bytes value={one.bytes} />),
              },
              {
                key: 'pull',
                header: w.lastPull,
                cell: (one) =>
                  one.pull
                    ? [
                        w.pulls[one.pull.status],
                        one.pull.error_message && say(imageErrors, language, one.pull.error_message),
                      ]
                        .filter(Boolean)
                        .join(': ')
                    : '',
              },
            ]}
          />
        )}
      </Stack>
      <OperationDialog
        open={asked === 'pull'}
        onOpenChange={close}
        title={w.pullTitle(tier)}
        operation={{ name: 'image.pull', input: { tier } }}
        action={w.pull}
      >
        <p>{w.pullText}</p>
      </OperationDialog>
      <OperationDialog
        open={asked === 'resolve'}
        onOpenChange={close}
        title={w.resolveTitle(tier)}
        operation={{ name: 'tier.edit', input: { tier, image: image.image ?? '' } }}
        action={w.resolve}
      >
        <p>{w.resolveText}</p>
      </OperationDialog>
    </Card>
  );
}

function State({ of: one }: { of: ImageOnHost }) {
  const w = useWords(words);
  const language = useLanguage();
  const format = useFormat();
  if (one.state === null) return w.unknown;
  if (one.state === 'ready' && !one.holds) return <Badge tone="warn">{w.states.other}</Badge>;
  const tone = ({ absent: 'neutral', pulling: 'info', ready: 'good', failed: 'bad' } as const)[one.state];
  const size =
    one.fetched_bytes === null || one.fetch_bytes === null
      ? null
      : w.fetched(format.bytes(one.fetched_bytes), format.bytes(one.fetch_bytes));
  const isFetched = one.state === 'pulling' && one.percent !== null;
  const text = isFetched ? [w.percent(one.percent ?? 0), size].filter(Boolean).join(', ') : w.states[one.state];
  return (
    <>
      <Badge tone={tone}>{text}</Badge>{' '}
      {one.error_message === null
        ? one.offers_differ
          ? w.differs
          : ''
        : say(imageErrors, language, one.error_message)}
    </>
  );
}
