import CircleUser from 'lucide-react/icons/circle-user';
import LogOut from 'lucide-react/icons/log-out';
import Settings from 'lucide-react/icons/settings';
import { useSession, useSignOut } from '../data/session.js';
import { IconButton } from '../design/button.js';
import { Link, useGo } from '../design/link.js';
import { Menu, MenuItem, MenuLine } from '../design/menu.js';
import { useToast } from '../design/toast.js';
import { useWords } from '../words/use-words.js';
import styles from './user-menu.module.css';
import { words } from './words.js';

/** Returns a function that signs the person out and leads to the sign-in page. */
export function useLeave(): () => void {
  const signOut = useSignOut();
  const toast = useToast();
  const go = useGo();
  return () =>
    signOut.mutate(undefined, {
      onSuccess: () => go({ to: '/sign-in' }),
      onError: toast.failed,
    });
}

export function UserMenu() {
  const w = useWords(words);
  const { user } = useSession();
  const leave = useLeave();
  return (
    <Menu trigger={<IconButton label={w.account} icon={<CircleUser aria-hidden />} />}>
      <p className={styles.who}>
        {user.name ? <strong>{user.name}</strong> : null}
        <span>{user.email}</span>
      </p>
      <MenuLine />
      <MenuItem icon={<Settings />} render={<Link to="/settings" />}>
        {w.settings}
      </MenuItem>
      <MenuItem icon={<LogOut />} onSelect={leave}>
        {w.signOut}
      </MenuItem>
    </Menu>
  );
}
