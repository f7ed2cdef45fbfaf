import Hammer from 'lucide-react/icons/hammer';
import type { ListedBuild } from '../../../../client/types.js';
import { BuildBadge } from '../../builds/build-badge.js';
import { BuildName } from '../../builds/build-name.js';
import { Duration, RelativeTime } from '../../design/amounts.js';
import { LinkButton } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { Code } from '../../design/code.js';
import { EmptyState } from '../../design/empty-state.js';
import { Table } from '../../design/table.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

export function BuildsCard({ builds }: { builds: readonly ListedBuild[] }) {
  const { builds: w } = useWords(words);
  return (
    <Card
      title={w.title}
      flush
      actions={
        builds.length > 0 ? (
          <LinkButton variant="link" to="/o/$org/builds">
            {w.all}
          </LinkButton>
        ) : null
      }
    >
      {builds.length === 0 ? (
        <EmptyState icon={<Hammer />} title={w.none}>
          <p>{w.noneText}</p>
          <Code label={w.build}>cidermill build --script 'make test'</Code>
        </EmptyState>
      ) : (
        <Table
          label={w.title}
          rows={builds}
          rowKey={(build) => build.id}
          columns={[
            { key: 'build', header: w.build, main: true, cell: (build) => <BuildName build={build} /> },
            {
              key: 'status',
              header: w.status,
              narrow: true,
              cell: (build) => <BuildBadge build={build} />,
            },
            {
              key: 'when',
              header: w.when,
              narrow: true,
              cell: ({ timings }) => <RelativeTime at={timings.created_at} />,
            },
            {
              key: 'ran',
              header: w.ran,
              numeric: true,
              narrow: true,
              cell: ({ timings }) =>
                timings.started_at ? <Duration from={timings.started_at} to={timings.ended_at} /> : '–',
            },
          ]}
        />
      )}
    </Card>
  );
}
