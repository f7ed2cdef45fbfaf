// What the document of the console shows before a script runs: its frame, with the navigation in the person's language, and
// in place of the page what Skeleton shows. The application removes it when it has painted the same (shell/first-paint.ts).
import type { Language } from '../../../shared/language.js';
import { operatorNavigation, organizationNavigation } from '../../console/navigation.js';
import { words } from '../../console/shell/words.js';

export interface FirstPaint {
  readonly language: Language;
  /** Path without the query. */
  readonly path: string;
  /** A session may exist; without one pages that need it lead to the sign-in page. */
  readonly hasSession: boolean;
}

/** Pages that have no side bar, besides all pages without a session. */
const WITHOUT_NAVIGATION = /^\/(?:sign-in|first-owner|invite|shared|pay)(?:\/|$)/;

/** Returns HTML. Its classes are those of the console's frame, whose names follow from their files (vite.config.ts). */
export function firstPaint({ language, path, hasSession }: FirstPaint): string {
  const w = words[language];
  const brand = '<a class="shell-frame-brand" href="/">Cidermill</a>';
  const noScript = `<noscript><p class="design-page-note">${w.noScript}</p></noscript>`;
  if (!hasSession || WITHOUT_NAVIGATION.test(path)) {
    return `<div id="first-paint" class="shell-frame-frame"><header class="shell-frame-top">${brand}</header>
<main class="shell-frame-main" aria-busy="true">${noScript}${skeleton(4)}</main></div>`;
  }
  return `<div id="first-paint" class="shell-shell-shell"><aside class="shell-shell-side"><div class="shell-shell-sticky">
<div class="shell-shell-brand">${brand}</div>${navigation(path, language)}</div></aside>
<div class="shell-shell-head"><header class="shell-shell-top"></header></div>
<main class="shell-shell-main" aria-busy="true">${noScript}${skeleton(6)}</main></div>`;
}

/** The entries that every role sees. */
function navigation(path: string, language: Language): string {
  const w = words[language];
  const org = /^\/o\/([\w-]+)(?:\/|$)/.exec(path)?.[1];
  const groups =
    org !== undefined ? organizationNavigation : /^\/operator(?:\/|$)/.test(path) ? operatorNavigation : [];
  const link = ({ to, label }: (typeof groups)[number]['items'][number]) =>
    `<li><a class="shell-side-bar-link" href="${to.replace('$org', org ?? '')}">${PLACE_OF_ICON}${w.nav[label]}</a></li>`;
  const lists = groups
    .map(({ label, items }) => ({ label, links: items.filter(({ roles }) => roles === undefined).map(link) }))
    .filter(({ links }) => links.length > 0)
    .map(
      ({ label, links }) => `<div class="shell-side-bar-group"><p class="shell-side-bar-heading">${w.groups[label]}</p>
<ul class="shell-side-bar-list">${links.join('')}</ul></div>`,
    );
  return lists.length === 0
    ? ''
    : `<nav class="shell-side-bar-nav" aria-label="${w.navigation}">${lists.join('')}</nav>`;
}

const PLACE_OF_ICON = '<svg width="16" height="16" aria-hidden="true"></svg>';

const skeleton = (lines: number): string =>
  `<div class="design-skeleton-skeleton" aria-hidden="true">${'<span class="design-skeleton-line"></span>'.repeat(lines)}</div>`;
