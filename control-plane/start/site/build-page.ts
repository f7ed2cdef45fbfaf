// The page of one build: progress, failure, end of the log, artifacts. All text that comes from the build is sanitized
// and escaped; the page contains no script.

import { cleanLine, cleanText } from '../../../shared/clean-text.js';
import { countOf } from '../../../shared/count.js';
import type { NumberedLine } from '../../builds/app/build-log-lines.js';
import type { ViewedBuild } from '../../builds/app/build-viewing.js';
import { deletedLogMessage } from '../../builds/app/log-access.js';
import type { Build, BuildStatus } from '../../builds/domain/build.js';
import {
  endReasonMeanings,
  failureFaultMeanings,
  waitReasonMeanings,
} from '../../builds/domain/build-words.js';
import { bytesText, momentHtml, spanText } from './amounts.js';
import { consolePage, problemPage } from './console-page.js';
import { escapeHtml, inlineCode } from './html-page.js';

/** Maximum length of a log line on the page, in UTF-16 units. */
const LINE_CHARS = 1_000;
const SHORT_CHARS = 300;

/** CSS class of the badge. */
const looks: Readonly<Record<BuildStatus, string>> = {
  queued: '',
  running: '',
  succeeded: 'good',
  failed: 'bad',
  expired: 'bad',
  cancelled: '',
};

/** Returns the page; `now` is in ms since the epoch. */
export function buildPage({ caller, placed, report, tail }: ViewedBuild, now: number): string {
  const { build } = placed;
  const id = escapeHtml(build.buildId);
  const sections = [
    `<section class="card" aria-labelledby="title">
<span class="badge ${looks[build.status]}">${build.status}</span>
<h1 id="title">Build <code>${id}</code></h1>
<p class="lead">${escapeHtml(sourceOf(build))}</p>
<dl class="facts">
${factsOf(placed, now)}
</dl>
${build.endedAt === null ? `<p class="note">As of ${momentHtml(now)}. <a href="/builds/${id}">Reload</a> for the newest state.</p>` : ''}
</section>`,
    failureCard(build, report.lines),
    logCard(caller.account.orgId, build, report.totalLines, tail),
    artifactsCard(build, report),
    `<section class="card" aria-labelledby="script">
<h2 id="script">Script</h2>
${codeBlock('Script', escapeHtml(scriptOf(build.script)))}
</section>`,
  ];
  return consolePage({
    title: `${build.status}: build ${build.buildId}`,
    who: `${caller.account.name}, ${caller.person?.email ?? ''}`,
    main: sections.filter((section) => section !== '').join('\n'),
  });
}

/** Returns the page for a build that does not exist, or that the person may not see. */
export function missingBuildPage(email: string): string {
  return problemPage(
    'No such build',
    email,
    `There is no such build, or it belongs to an organization that ${email} is not a member of.`,
  );
}

function sourceOf({ repo, repoUrl, ref, commit, commitSha, pr, uploadId }: Build): string {
  const made = commitSha ?? commit;
  const where = repo ?? repoUrl ?? (uploadId === null ? '' : 'An uploaded folder');
  const parts = [
    where,
    ...(pr === null ? [] : [`pull request ${pr}`]),
    ...(ref === null ? [] : [ref]),
    ...(made === null ? [] : [made.slice(0, 12)]),
  ];
  return cleanText(parts.join(', '), SHORT_CHARS);
}

function factsOf({ build, place }: ViewedBuild['placed'], now: number): string {
  const { createdAt, startedAt, endedAt } = build;
  const wait = place?.waitReason;
  // For these two the page shows the exit code, which is more precise.
  const ended =
    build.endReason === 'succeeded' || build.endReason === 'exit_nonzero' ? null : build.endReason;
  const rows: (readonly [string, string] | null)[] = [
    place?.queuePosition ? ['Place in the queue', String(place.queuePosition)] : null,
    wait ? ['Waits because', meaningOf(waitReasonMeanings, wait)] : null,
    ['Submitted', momentHtml(createdAt)],
    startedAt === null ? null : ['Started', momentHtml(startedAt)],
    endedAt === null ? null : ['Ended', momentHtml(endedAt)],
    ['Waited', spanText((startedAt ?? endedAt ?? now) - createdAt)],
    startedAt === null ? null : ['Ran', spanText((endedAt ?? now) - startedAt)],
    ended === null ? null : ['Ended because', meaningOf(endReasonMeanings, ended)],
    build.exitCode === null ? null : ['Exit code', String(build.exitCode)],
    build.rentalId === null ? null : ['Mac', `<code>${escapeHtml(build.rentalId)}</code>`],
    build.xcode === null ? null : ['Xcode', escapeHtml(build.xcode)],
    build.attempt > 1 ? ['Attempt', String(build.attempt)] : null,
    ...build.warnings.map((text) => ['Warning', escapeHtml(cleanText(text, SHORT_CHARS))] as const),
  ];
  return rows.flatMap((row) => (row ? [`<dt>${row[0]}</dt><dd>${row[1]}</dd>`] : [])).join('\n');
}

function failureCard(build: Build, lines: readonly NumberedLine[]): string {
  const { failure } = build;
  if (!failure) return '';
  const { location } = failure;
  const at = location && `${cleanText(location.file, SHORT_CHARS)}:${location.line}`;
  return `<section class="card" aria-labelledby="failure">
<h2 id="failure">Why it failed</h2>
<p class="message bad">${escapeHtml(cleanText(failure.summary, 600))}</p>
<dl class="facts">
<dt>Reason</dt><dd><code>${escapeHtml(failure.reasonCode)}</code></dd>
<dt>At fault</dt><dd>${meaningOf(failureFaultMeanings, failure.fault)}</dd>
${at ? `<dt>Where</dt><dd><code>${escapeHtml(at)}</code></dd>` : ''}
</dl>
<p>${inlineCode(failure.suggestion)}</p>
${lines.length > 0 ? codeBlock('Lines of the log that show the cause', linesHtml(lines)) : ''}
</section>`;
}

function logCard(orgId: string, build: Build, total: number, tail: readonly NumberedLine[]): string {
  const raw = `/api/runner/v1/organizations/${encodeURIComponent(orgId)}/agent/builds/${encodeURIComponent(build.buildId)}/log`;
  const deleted = deletedLogMessage(build);
  const body =
    tail.length === 0
      ? `<p class="note">${deleted ?? 'Nothing has been printed.'}</p>`
      : `<p class="note">${tail.length < total ? `The last ${tail.length} of ${total} lines.` : `${countOf(total, 'line')}.`}
<a href="${raw}">The whole log as text</a></p>
${codeBlock('The last lines of the log', linesHtml(tail), true)}`;
  return `<section class="card" aria-labelledby="log">
<h2 id="log">Log</h2>
${body}
</section>`;
}

function artifactsCard(build: Build, { artifacts, moreArtifacts }: ViewedBuild['report']): string {
  if (artifacts.length === 0) return '';
  const rows = artifacts.map(({ fileId, name, bytes }) => {
    const address = `/builds/${encodeURIComponent(build.buildId)}/artifacts/${encodeURIComponent(fileId)}`;
    const shown = escapeHtml(cleanText(name, SHORT_CHARS));
    return `<li><a href="${address}">${shown}</a><span class="note">${bytesText(bytes)}</span></li>`;
  });
  return `<section class="card" aria-labelledby="artifacts">
<h2 id="artifacts">Artifacts</h2>
<ul class="plain-list">
${rows.join('\n')}
</ul>
${moreArtifacts ? `<p class="note">There are more: <code>cidermill artifacts ${escapeHtml(build.buildId)}</code> saves all of them.</p>` : ''}
</section>`;
}

const linesHtml = (lines: readonly NumberedLine[]): string =>
  lines
    .map(({ n, text, cut }) => {
      const clean = cleanLine(text, LINE_CHARS);
      const shown = `${escapeHtml(clean.text)}${cut && !clean.cut ? '…' : ''}`;
      return `<span class="line"><span class="n">${n}</span>${shown}</span>`;
    })
    .join('');

const scriptOf = (script: string): string =>
  script
    .split('\n')
    .map((line) => cleanLine(line, LINE_CHARS).text)
    .join('\n');

/** Returns a box that can be scrolled with the keyboard. `end`: initially scrolled to its end. */
const codeBlock = (name: string, html: string, end = false): string =>
  `<pre class="output${end ? ' end' : ''}" tabindex="0" role="region" aria-label="${name}"><code>${html}</code></pre>`;

const meaningOf = <W extends string>(meanings: Readonly<Record<W, string>>, word: W): string =>
  inlineCode(`${meanings[word]} (${word})`);
