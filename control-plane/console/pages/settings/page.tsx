// `/settings`: the person's name, language, theme, password, two-step sign-in, passkeys, account at the identity provider, sessions
// and organizations.
import { useSession } from '../../data/session.js';
import { Page } from '../../design/page.js';
import { useWords } from '../../words/use-words.js';
import { IdentityCard } from './identity-card.js';
import { OrganizationsCard } from './organizations-card.js';
import { PasskeysCard } from './passkeys-card.js';
import { PasswordCard } from './password-card.js';
import { PreferencesCard } from './preferences-card.js';
import { ProfileCard } from './profile-card.js';
import { SessionsCard } from './sessions-card.js';
import { TwoStepCard } from './two-step-card.js';
import { words } from './words.js';

export default function SettingsPage() {
  const w = useWords(words);
  const { user } = useSession();
  return (
    <Page title={w.title} lead={user.name ? `${user.name} · ${user.email}` : user.email} narrow>
      <ProfileCard />
      <PreferencesCard />
      <PasswordCard />
      <TwoStepCard />
      <PasskeysCard />
      <IdentityCard />
      <SessionsCard />
      <OrganizationsCard />
    </Page>
  );
}
