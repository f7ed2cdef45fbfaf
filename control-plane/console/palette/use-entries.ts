// What the palette offers without asking the service: pages, actions, and what can be switched.
import ArrowRightLeft from 'lucide-react/icons/arrow-right-left';
import KeyRound from 'lucide-react/icons/key-round';
import Keyboard from 'lucide-react/icons/keyboard';
import Languages from 'lucide-react/icons/languages';
import LockKeyhole from 'lucide-react/icons/lock-keyhole';
import LogOut from 'lucide-react/icons/log-out';
import Settings from 'lucide-react/icons/settings';
import SunMoon from 'lucide-react/icons/sun-moon';
import UserPlus from 'lucide-react/icons/user-plus';
import Webhook from 'lucide-react/icons/webhook';
import { type Language, languages } from '../../../shared/language.js';
import { useOrganizationHere } from '../data/session.js';
import { useGo } from '../design/link.js';
import type { NavigationGroup } from '../navigation.js';
import { type PageAction, pageActions } from '../page-actions.js';
import { navigationIcons } from '../shell/navigation-icons.js';
import { useLanguageChoice, useThemeChoice } from '../shell/preferences.js';
import { OPERATORS, useOrganizationChoice, useWorkspaceChoice } from '../shell/switchers.js';
import { useLeave } from '../shell/user-menu.js';
import { words as shellWords } from '../shell/words.js';
import { useLanguage } from '../words/language.js';
import type { Entry } from './entry.js';
import { words as paletteWords } from './words.js';

type Texts = (typeof shellWords)['en'] & { readonly own: (typeof paletteWords)['en'] };

const inLanguage = (language: Language) =>
  ({ ...shellWords[language], own: paletteWords[language] }) as unknown as Texts;

/** Returns the text of an entry in the language of the page, and in each as what it is found by. */
function useTexts() {
  const language = useLanguage();
  return (pick: (w: Texts) => string) => ({
    text: pick(inLanguage(language)),
    names: languages.map((each) => pick(inLanguage(each))),
  });
}

const actionIcons: Readonly<Record<PageAction, Entry['icon']>> = {
  createKey: KeyRound,
  invite: UserPlus,
  setSecret: LockKeyhole,
  createWebhook: Webhook,
};

/** @param groups the side bar of the person */
export function useEntries(groups: readonly NavigationGroup[], onShortcuts: () => void): Entry[] {
  const pages = usePages(groups);
  const actions = useActions(groups);
  const switches = useSwitches(groups);
  const texts = useTexts();
  const leave = useLeave();
  return [
    ...pages,
    ...actions,
    { id: 'shortcuts', group: 'actions', icon: Keyboard, run: onShortcuts, ...texts((w) => w.own.shortcuts) },
    ...switches,
    { id: 'sign-out', group: 'actions', icon: LogOut, run: leave, ...texts((w) => w.signOut) },
  ];
}

function usePages(groups: readonly NavigationGroup[]): Entry[] {
  const texts = useTexts();
  const go = useGo();
  const page = { group: 'pages', recurs: true } as const;
  return [
    ...groups.flatMap(({ items }) =>
      items.map(({ to, label }) => ({
        ...page,
        id: to,
        icon: navigationIcons[label],
        run: () => go({ to: to as '/' }),
        ...texts((w) => w.nav[label]),
      })),
    ),
    { ...page, id: '/settings', icon: Settings, run: () => go({ to: '/settings' }), ...texts((w) => w.settings) },
  ];
}

function useActions(groups: readonly NavigationGroup[]): Entry[] {
  const texts = useTexts();
  const go = useGo();
  const role = useOrganizationHere()?.role;
  const shown = groups.flatMap(({ items }) => items.map(({ to }) => to));
  return (Object.keys(pageActions) as PageAction[])
    .filter((name) => shown.includes(pageActions[name].to) && role && pageActions[name].roles.includes(role))
    .map((name) => ({
      id: `do:${name}`,
      group: 'actions',
      icon: actionIcons[name],
      recurs: true,
      run: () => go({ to: pageActions[name].to, search: { do: name } }),
      ...texts((w) => w.own.actions[name]),
    }));
}

function useSwitches(groups: readonly NavigationGroup[]): Entry[] {
  const texts = useTexts();
  const here = useOrganizationHere();
  const isOperators = groups.some(({ items }) => items.some(({ to }) => to === OPERATORS));
  const organization = useOrganizationChoice();
  const workspace = useWorkspaceChoice();
  const language = useLanguageChoice();
  const theme = useThemeChoice();
  const current = isOperators ? OPERATORS : here?.slug;
  const places = [
    { kind: 'organization', value: current, ...organization },
    { kind: 'workspace', ...workspace },
  ] as const;
  return [
    ...places.flatMap(({ kind, value, options, choose }) =>
      options
        .filter((option) => option.value !== value)
        .map((option) => ({
          id: `${kind}:${option.value}`,
          group: 'switch' as const,
          icon: ArrowRightLeft,
          hint: texts((w) => w[kind]).text,
          run: () => choose(option.value),
          text: option.label,
          names: [option.label, ...texts((w) => `${w.own.groups.switch} ${w[kind]} ${option.label}`).names],
        })),
    ),
    ...language.options
      .filter(({ value }) => value !== language.value)
      .map(({ value, label }) => ({
        id: `language:${value}`,
        group: 'actions' as const,
        icon: Languages,
        run: () => language.onChange(value),
        ...texts((w) => `${w.language}: ${label}`),
      })),
    ...theme.options
      .filter(({ value }) => value !== theme.value)
      .map(({ value }) => ({
        id: `theme:${value}`,
        group: 'actions' as const,
        icon: SunMoon,
        run: () => theme.onChange(value),
        ...texts((w) => `${w.theme}: ${w.themes[value]}`),
      })),
  ];
}
