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

export function useLanguageChoice() {
  const w = useWords(words);
  return {
    label: w.language,
    value: useLanguage(),
    options: languages.map((value) => ({ value, label: w.languages[value] })),
    onChange: useSetLanguage(useToast().failed),
  };
}

export function useThemeChoice() {
  const w = useWords(words);
  const { theme, setTheme } = useChoices();
  return {
    label: w.theme,
    value: theme,
    options: themes.map((value) => ({ value, label: w.themes[value] })),
    onChange: setTheme,
  };
}

export function LanguageMenu() {
  const choice = useLanguageChoice();
  return (
    <Menu trigger={<IconButton label={choice.label} icon={<Languages aria-hidden />} />}>
      <MenuChoice {...choice} />
    </Menu>
  );
}

export function ThemeMenu() {
  const choice = useThemeChoice();
  return (
    <Menu trigger={<IconButton label={choice.label} icon={<SunMoon aria-hidden />} />}>
      <MenuChoice {...choice} />
    </Menu>
  );
}
