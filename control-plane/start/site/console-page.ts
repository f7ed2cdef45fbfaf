// The HTML frame of pages for signed-in people, rendered by the service: the console's style, no script.
import { escapeHtml } from './html-page.js';

/** Content-Security-Policy: only the console's style sheet may be loaded. */
export const CONSOLE_PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src data:; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
  'referrer-policy': 'no-referrer',
} as const;

/** Returns the page. `main` is HTML; the other texts are escaped here. */
export function consolePage({ title, who, main }: { title: string; who: string; main: string }): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)} · Cidermill</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/console/style.css">
</head>
<body class="broad">
<header>
<a class="brand" href="/sign-in">Cidermill</a>
<p class="who">${escapeHtml(who)}</p>
</header>
<main>
${main}
</main>
<footer></footer>
</body>
</html>
`;
}

/** @param lead text that says what happened; escaped here */
export function problemPage(title: string, email: string, lead: string): string {
  return consolePage({
    title,
    who: email,
    main: `<section class="card" aria-labelledby="title">
<h1 id="title">${escapeHtml(title)}</h1>
<p class="lead">${escapeHtml(lead)}</p>
<p><a href="/sign-in">Sign in as somebody else</a></p>
</section>`,
  });
}
