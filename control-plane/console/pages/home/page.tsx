// `/` for people without an organization; everybody else is redirected (shell/home.ts).
import Building2 from 'lucide-react/icons/building-2';
import { useSession } from '../../data/session.js';
import { Card } from '../../design/card.js';
import { EmptyState } from '../../design/empty-state.js';
import { Page } from '../../design/page.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

export default function NoOrganizationPage() {
  const w = useWords(words);
  const { user } = useSession();
  return (
    <Page title={w.title} narrow>
      <Card>
        <EmptyState icon={<Building2 />} title={w.text(user.email)} />
      </Card>
    </Page>
  );
}
