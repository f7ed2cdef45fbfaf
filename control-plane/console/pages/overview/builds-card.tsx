import Hammer from 'lucide-react/icons/hammer';
import type { ListedBuild } from '../../../../client/types.js';
import { BuildRows } from '../../builds/build-rows.js';
import { LinkButton } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { Code } from '../../design/code.js';
import { EmptyState } from '../../design/empty-state.js';
import { useWords } from '../../words/use-words.js';
import { A_BUILD } from './a-build.js';
import { words } from './words.js';

/** Builds that have ended; the queue above has those that have not. */
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
          <Code label={w.build}>{A_BUILD}</Code>
        </EmptyState>
      ) : (
        <BuildRows label={w.title} builds={builds} />
      )}
    </Card>
  );
}
