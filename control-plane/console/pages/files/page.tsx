// `/o/:org/files`: uploads and artifacts of a workspace, and the storage that is left.

import Blocks from 'lucide-react/icons/blocks';
import { type CurrentOrganization, useOrganization, workspaceOf } from '../../data/session.js';
import { LinkButton } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { EmptyState } from '../../design/empty-state.js';
import { Page } from '../../design/page.js';
import { useWords } from '../../words/use-words.js';
import { Files } from './files.js';
import { Storage } from './storage.js';
import { words } from './words.js';

export default function FilesPage() {
  const w = useWords(words);
  const place = useOrganization();
  const workspace = workspaceOf(place);
  return (
    <Page title={w.title} lead={w.lead}>
      <Storage place={place} />
      {workspace === null ? <ChooseWorkspace place={place} /> : <Files orgId={place.id} workspace={workspace} />}
    </Page>
  );
}

function ChooseWorkspace({ place }: { place: CurrentOrganization }) {
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
