// The HTML frame of public pages: no script, nothing loaded, light and dark, 320 px and wider.

/** Returns the page. `body` is HTML; the title is escaped here. */
export function htmlPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Cidermill</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}

/** Returns HTML for plain text with code in backticks. */
export const inlineCode = (text: string): string => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');

const STYLE = `
:root{--page:#f4f1ec;--card:#fff;--ink:#1d1b18;--soft:#5d574f;--line:#ddd6cb;--accent:#a63c06;--code:#f7f3ed;
--client:#7a4a00;--platform:#a3161f;--payment:#1257c9;--capacity:#1c6b3c}
@media(prefers-color-scheme:dark){:root{--page:#161412;--card:#211e1b;--ink:#f2eee8;--soft:#b5ada2;--line:#3a352f;
--accent:#f0935a;--code:#2b2723;--client:#f0c27a;--platform:#ff9a97;--payment:#8bb8ff;--capacity:#7fd6a0}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:1rem/1.55 system-ui,-apple-system,"Segoe UI",sans-serif}
main{max-width:48rem;margin:0 auto;padding:2rem 1.25rem 4rem}
a{color:var(--accent)}
a:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
h1{font-size:clamp(1.2rem,5.6vw,1.7rem);line-height:1.25;margin:.3rem 0;overflow-wrap:anywhere}
h2{font-size:1.1rem;margin:2rem 0 .3rem}
.lead{font-size:1.1rem;color:var(--soft);margin:.3rem 0 1rem}
.crumbs{margin:0;font-size:.9rem}
code{font:.92em ui-monospace,SFMono-Regular,Menlo,monospace;background:var(--code);border-radius:4px;padding:.08em .3em}
h1 code,pre code,td a code{background:none;padding:0}
pre{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:1rem;overflow-x:auto;line-height:1.45}
dl{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:.4rem 1.1rem;display:grid;
grid-template-columns:minmax(7rem,max-content) 1fr;column-gap:1.5rem}
dt{font-weight:600;padding:.45rem 0}
dd{margin:0;padding:.45rem 0}
p,dd{overflow-wrap:anywhere}
.tags span{display:inline-block;border:1px solid currentColor;border-radius:99px;padding:0 .6em;font-size:.85rem;
color:var(--soft);font-weight:400}
.tags .client{color:var(--client)}.tags .platform{color:var(--platform)}
.tags .payment{color:var(--payment)}.tags .capacity{color:var(--capacity)}
table{width:100%;border-collapse:collapse;margin-top:1.5rem;font-size:.95rem}
th{text-align:left;color:var(--soft);font-size:.85rem}
th,td{padding:.5rem .8rem .5rem 0;border-bottom:1px solid var(--line);vertical-align:top}
td:first-child{overflow-wrap:anywhere}
@media(max-width:34rem){dl{grid-template-columns:1fr}dt{padding-bottom:0}dd{padding-top:0}
pre{white-space:pre-wrap;overflow-wrap:anywhere}
thead{display:none}
tr{display:grid;grid-template-columns:max-content max-content minmax(0,1fr);column-gap:1rem;
border-bottom:1px solid var(--line);padding:.6rem 0}
td{border:0;padding:.1rem 0}td:first-child{grid-column:1/-1}td[data-what]::before{content:attr(data-what) ' ';color:var(--soft)}}
`;
