import Blocks from 'lucide-react/icons/blocks';
import type { CurrentOrganization } from '../../data/session.js';
import { LinkButton } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { EmptyState } from '../../design/empty-state.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

export function ChooseWorkspace({ place }: { place: CurrentOrganization }) {
  const w = useWords(words);
  return (
    <Card>
      <EmptyState
        icon={<Blocks />}
        title={w.chooseTitle}
        action={place.workspaces.map(({ id, name }) => (
          <LinkButton key={id} to="/o/$org/files" search={{ workspace: id }}>
            {name}
          </LinkButton>
        ))}
      >
        {w.chooseText}
      </EmptyState>
    </Card>
  );
}
