// The menus of language and theme, which are on every page.
import Languages from 'lucide-react/icons/languages';
import SunMoon from 'lucide-react/icons/sun-moon';
import { languages } from '../../../shared/language.js';
import { useSetLanguage } from '../data/person-language.js';
import { IconButton } from '../design/button.js';
import { Menu, MenuChoice } from '../design/menu.js';
import { useToast } from '../design/toast.js';
import { themes, useChoices, useLanguage } from '../words/language.js';
import { useWords } from '../words/use-words.js';
import { words } from './words.js';

export function LanguageMenu() {
  const w = useWords(words);
  const language = useLanguage();
  const setLanguage = useSetLanguage(useToast().failed);
  return (
    <Menu trigger={<IconButton label={w.language} icon={<Languages aria-hidden />} />}>
      <MenuChoice
        label={w.language}
        value={language}
        onChange={setLanguage}
        options={languages.map((value) => ({ value, label: w.languages[value] }))}
      />
    </Menu>
  );
}

export function ThemeMenu() {
  const w = useWords(words);
  const { theme, setTheme } = useChoices();
  return (
    <Menu trigger={<IconButton label={w.theme} icon={<SunMoon aria-hidden />} />}>
      <MenuChoice
        label={w.theme}
        value={theme}
        onChange={setTheme}
        options={themes.map((value) => ({ value, label: w.themes[value] }))}
      />
    </Menu>
  );
}
