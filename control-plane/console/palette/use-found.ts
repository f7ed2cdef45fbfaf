// What the service finds for the text of the palette: Macs and builds of the organization.
import { useQuery } from '@tanstack/react-query';
import Hammer from 'lucide-react/icons/hammer';
import Monitor from 'lucide-react/icons/monitor';
import { useEffect, useState } from 'react';
import { useBuildName } from '../builds/build-name.js';
import { titleOf } from '../builds/source.js';
import { clock } from '../clock.js';
import { buildsFoundQuery } from '../data/builds.js';
import { macsFoundQuery } from '../data/macs.js';
import { useOrganizationHere } from '../data/session.js';
import { useGo } from '../design/link.js';
import { shared } from '../words/shared.js';
import { useWords } from '../words/use-words.js';
import type { Entry } from './entry.js';
import { words } from './words.js';

/** Pause in typing after which the service is asked, in ms. */
const TYPING_MS = 200;

/** Entries of each kind. */
const MOST = 6;

const NOWHERE = { id: '', workspace: null };

export interface Found {
  readonly entries: readonly Entry[];
  readonly searching: boolean;
  readonly error: unknown;
  retry(): void;
}

/** @param text '' asks for nothing; what was asked for another text is aborted */
export function useFound(text: string): Found {
  const place = useOrganizationHere();
  const w = useWords(words);
  const common = useWords(shared);
  const nameOf = useBuildName();
  const go = useGo();
  const settled = useSettled(text);
  const asked = place && settled === text ? text : '';
  // A failure is shown at once: the next text is a new attempt.
  const options = { enabled: asked !== '', retry: false };
  const macs = useQuery({ ...macsFoundQuery(place ?? NOWHERE, asked, MOST), ...options });
  const builds = useQuery({ ...buildsFoundQuery(place ?? NOWHERE, asked, MOST), ...options });
  const macEntries = (macs.data?.rentals ?? []).map(
    ({ rental_id: id, name, state }): Entry => ({
      id,
      group: 'macs',
      text: name,
      names: [name, id],
      icon: Monitor,
      hint: `${common.macState[state]} · ${id}`,
      run: () => go({ to: '/o/$org/macs/$rental_id', params: { rental_id: id } }),
    }),
  );
  const buildEntries = (builds.data?.builds ?? []).map((build): Entry => {
    const [title, name] = [titleOf(build), nameOf(build)];
    return {
      id: build.id,
      group: 'builds',
      text: title === '' ? name : title,
      names: [title, name, build.id],
      icon: Hammer,
      hint: [common.buildStatus[build.status], ...(title === '' ? [build.id] : [name])].join(' · '),
      run: () => go({ to: '/o/$org/builds/$build_id', params: { build_id: build.id } }),
    };
  });
  const all: Entry = {
    id: 'builds:all',
    group: 'builds',
    text: w.allBuilds(asked),
    names: [],
    icon: Hammer,
    run: () => go({ to: '/o/$org/builds', search: { q: asked } }),
  };
  const queries = [macs, builds];
  return {
    entries: [...macEntries, ...buildEntries, ...(builds.data?.next_before ? [all] : [])],
    searching: place !== null && text !== '' && (settled !== text || queries.some(({ isFetching }) => isFetching)),
    error: asked === '' ? null : (queries.find(({ isError, data }) => isError && !data)?.error ?? null),
    retry: () => {
      for (const { isError, refetch } of queries) if (isError) void refetch();
    },
  };
}

/** Returns the text once it has not changed for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = clock.setTimeout(() => setSettled(text), TYPING_MS);
    return timer.cancel;
  }, [text]);
  return settled;
}
