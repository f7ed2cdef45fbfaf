// Details of the build that the other tabs do not have.

import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Build } from '../../../../client/types.js';
import { buildWarnings } from '../../../../shared/messages/build-warnings.js';
import { deliveryErrors } from '../../../../shared/messages/delivery-errors.js';
import { say } from '../../../../shared/messages/message.js';
import { repositoryOf } from '../../builds/source.js';
import { words as buildWords, textOf } from '../../builds/words.js';
import { eventsQuery } from '../../data/builds.js';
import type { Place } from '../../data/place.js';
import { Time } from '../../design/amounts.js';
import { Code } from '../../design/code.js';
import { CopyButton } from '../../design/copy-button.js';
import { Facts } from '../../design/facts.js';
import { Link } from '../../design/link.js';
import { Columns, Stack } from '../../design/page.js';
import { MacId, MacLink, MacName } from '../../macs/mac-link.js';
import { useFormat, useLanguage } from '../../words/language.js';
import { useWords } from '../../words/use-words.js';
import styles from './page.module.css';
import { words } from './words.js';

/** @param props.place null for somebody with a link, who has no other pages */
export function Details({ build, place }: { build: Build; place: Pick<Place, 'id'> | null }) {
  const w = useWords(words);
  const language = useLanguage();
  return (
    <div className={styles.padded}>
      <Stack>
        <Columns>
          <SourceFacts build={build} place={place} />
          <RunFacts build={build} place={place} />
        </Columns>
        {build.warnings.length > 0 ? (
          <div>
            <h3>{w.warnings}</h3>
            <ul className={styles.warnings}>
              {build.warning_messages.map((warning, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the list only grows
                <li key={at}>{say(buildWarnings, language, warning)}</li>
              ))}
            </ul>
          </div>
        ) : null}
        <div className={styles.script}>
          <h3>{w.script}</h3>
          <Code label={w.script}>{build.script}</Code>
        </div>
      </Stack>
    </div>
  );
}

function SourceFacts({ build, place }: { build: Build; place: Pick<Place, 'id'> | null }) {
  const w = useWords(words);
  const language = useLanguage();
  const { repo_url: url, ref, pr, commit, commit_sha, upload_id, project, rerun_of, commit_status: status } = build;
  const sha = commit_sha ?? commit;
  return (
    <Facts
      facts={[
        {
          label: w.id,
          value: (
            <Copied text={build.id} label={w.copyId}>
              <code>{build.id}</code>
            </Copied>
          ),
        },
        repositoryOf(build) !== null && {
          label: w.repository,
          value:
            url !== null && /^https:/.test(url) ? (
              <a href={url} target="_blank" rel="noopener noreferrer">
                {repositoryOf(build)}
              </a>
            ) : (
              repositoryOf(build)
            ),
        },
        upload_id !== null && {
          label: w.upload,
          value: (
            <>
              {project} <code>{upload_id}</code>
            </>
          ),
        },
        ref !== null && { label: w.ref, value: <code>{ref}</code> },
        sha !== null && {
          label: w.commit,
          value: (
            <Copied text={sha}>
              <code>{sha}</code>
            </Copied>
          ),
        },
        pr !== null && { label: w.pr, value: `#${pr}` },
        rerun_of !== null && {
          label: w.rerunOf,
          value: place ? (
            <Link to="/o/$org/builds/$build_id" params={{ build_id: rerun_of }}>
              <code>{rerun_of}</code>
            </Link>
          ) : (
            <code>{rerun_of}</code>
          ),
        },
        status !== null && {
          label: w.commitStatus,
          value: [status.state, status.error_message && say(deliveryErrors, language, status.error_message)]
            .filter(Boolean)
            .join(': '),
        },
        place !== null && { label: w.submittedBy, value: <SubmittedBy place={place} id={build.id} /> },
      ]}
    />
  );
}

function RunFacts({ build, place }: { build: Build; place: Pick<Place, 'id'> | null }) {
  const w = useWords(words);
  const format = useFormat();
  const own = useWords(buildWords);
  const { timings, rental_public_id: mac, rental_name: name, pinned_rental_id: pinned, end_reason: end } = build;
  const macLink = (id: string, name: string | null) => (
    <>
      {place ? <MacLink id={id} name={name ?? id} /> : <MacName>{name ?? id}</MacName>}{' '}
      {name === null ? null : <MacId id={id} />}
    </>
  );
  return (
    <Facts
      facts={[
        mac !== null && { label: w.mac, value: macLink(mac, name) },
        pinned !== null && pinned !== mac && { label: w.pinned, value: macLink(pinned, build.pinned_rental_name) },
        build.xcode !== null && { label: w.xcode, value: build.xcode },
        Object.keys(build.labels).length > 0 && {
          label: w.labels,
          value: Object.entries(build.labels)
            .map(([name, value]) => `${name}=${value}`)
            .join(', '),
        },
        { label: w.created, value: <Time at={timings.created_at} exact /> },
        timings.started_at !== null && { label: w.started, value: <Time at={timings.started_at} exact /> },
        timings.ended_at !== null && { label: w.ended, value: <Time at={timings.ended_at} exact /> },
        build.exit_code !== null && { label: w.exitCode, value: build.exit_code },
        end !== null && Object.hasOwn(own.end, end) && { label: w.reason, value: textOf(own.end, end) },
        { label: w.timeout, value: format.span(build.timeout_min * 60_000) },
        { label: w.priority, value: build.priority === 1 ? w.priorityFirst : w.priorityNormal },
        build.clean_tree && { label: w.cleanTree, value: w.cleanTreeYes },
        build.attempt > 1 && { label: w.attempt, value: build.attempt },
      ]}
    />
  );
}

function SubmittedBy({ place, id }: { place: Pick<Place, 'id'>; id: string }) {
  const w = useWords(words);
  const { data } = useQuery(eventsQuery(place, id));
  if (!data) return null;
  return <>{data.submitted_by ? w.byKey(data.submitted_by.name) : w.byPerson}</>;
}

function Copied({ text, label, children }: { text: string; label?: string; children: ReactNode }) {
  return (
    <span className={styles.copied}>
      {children}
      {label === undefined ? <CopyButton text={text} /> : <CopyButton text={text} label={label} />}
    </span>
  );
}
