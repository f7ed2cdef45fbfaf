// Schemas for the strings, lists and times that hosts send. Each one in a message or request of a host has a kind from
// this file, the only place where it is checked: a value that passes is safe to store and to show.
//
// Values that only a broken host sends make the message or request invalid. Values that a build can influence (texts,
// names, paths, numbers of entries) are cleaned, truncated or dropped instead, so that a build cannot disconnect its
// host.
import { z } from 'zod';
import { cleanText } from '../clean-text.js';
import type { Params } from '../messages/message.js';
import { badArtifactName } from '../paths/artifact-name.js';

/** Names of the kinds, by schema; a test finds strings and lists without a kind. */
export const kinds = z.registry<{ kind: string }>();

/** An identifier assigned by the service, used in names of rows, files and folders. Other values are refused. */
export const id = () =>
  z
    .string()
    .regex(/^[A-Za-z0-9_][A-Za-z0-9_-]{0,99}$/)
    .register(kinds, { kind: 'identifier' });

/** A version of a program, or a word such as `arm64`. Other values are refused. */
export const version = () =>
  z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$/)
    .register(kinds, { kind: 'version' });

/** A link secret in an enrolment: printable ASCII. Other values are refused. */
export const token = () =>
  z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/)
    .register(kinds, { kind: 'token' });

/** SHA-256 in lower case hex. Other values are refused. */
export const sha256Hex = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .register(kinds, { kind: 'hash' });

/** A full commit id, SHA-1 or SHA-256. Other values are refused. */
export const commitId = z
  .string()
  .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/)
  .register(kinds, { kind: 'commit' });

/** Does not begin with a hyphen, because drivers pass it to commands as an argument. */
export const IMAGE_NAME = /^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,299}$/;

/** The name of an image, as tiers give it to hosts, e.g. `ghcr.io/cirruslabs/macos-tahoe-xcode:26`. Others are refused. */
export const imageName = () => z.string().regex(IMAGE_NAME).register(kinds, { kind: 'image name' });

/** The digest of an image, e.g. `sha256:` and 64 hex digits. Other values are refused. */
export const digest = () =>
  z
    .string()
    .regex(/^[a-z0-9]{1,20}:[0-9a-f]{32,128}$/)
    .register(kinds, { kind: 'digest' });

/** One of the API's codes. Unknown codes become null. */
export const code = () =>
  z
    .string()
    .nullable()
    .transform((text) => (text !== null && /^[a-z][a-z0-9_]{0,63}$/.test(text) ? text : null))
    .register(kinds, { kind: 'code' });

/** Input may be this many times longer than the cleaned text, because of escape sequences and removed characters. */
const ROOM = 8;

/** One line of text for people, without characters that control a terminal or hide text, truncated. */
export const displayText = (max: number) =>
  z
    .string()
    .transform((text) => cleanText(text.slice(0, ROOM * max), max))
    .register(kinds, { kind: 'display text' });

/** The name of a machine: a display text that is never empty. */
export const hostName = () =>
  z
    .string()
    .transform((text) => cleanText(text.slice(0, ROOM * 253), 253) || 'unnamed')
    .register(kinds, { kind: 'host name' });

const MISLEADING = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;
const LONGEST_PATH = 4096;

/** A path on the host, compared but never opened here. Too long or misleading paths become empty. */
export const hostPath = () =>
  z
    .string()
    .transform((path) => (path.length > LONGEST_PATH || MISLEADING.test(path) ? '' : path))
    .register(kinds, { kind: 'path' });

/** The name of an artifact in a request. Other values are refused. */
export const artifactName = () =>
  z
    .string()
    .refine((name) => badArtifactName(name) === null)
    .register(kinds, { kind: 'artifact name' });

/** Milliseconds since the epoch, within the range of dates. Other values are refused. */
export const time = () => z.int().min(0).max(8.64e15).register(kinds, { kind: 'time' });

/** Records that `sound` lists have left out of the message that is being parsed; parsing is synchronous. */
let refused: string[] | null = null;
const MOST_REFUSED = 100;

/** Runs `parse`, and returns which records it left out: their paths and the reasons, e.g. `0.slot_id: invalid_format`. */
export function withRefused<T>(parse: () => T): { result: T; refused: readonly string[] } {
  const outer = refused;
  const mine: string[] = [];
  refused = mine;
  try {
    return { result: parse(), refused: mine };
  } finally {
    refused = outer;
  }
}

const leaveOut = (reason: string): undefined => {
  if (refused !== null && refused.length < MOST_REFUSED) refused.push(reason);
  return undefined;
};

/**
 * A list of records about different things. A record that is not valid, and what is beyond `most`, is left out: it must
 * not stop the others. Code that acts on what a list does not name has to know whether it is whole: `withRefused`.
 */
export const sound = <T extends z.ZodType>(element: T, most: number) =>
  z
    .preprocess(
      (list) => {
        if (!Array.isArray(list) || list.length <= most) return list;
        leaveOut(`${list.length - most} beyond ${most}`);
        return list.slice(0, most);
      },
      z
        .array(
          // A record is never undefined: messages are JSON.
          element.catch((failed) => leaveOut(reasonOf(failed.error.issues[0])) as z.output<T>),
        )
        .transform((list) => list.filter((record) => record !== undefined)),
    )
    .register(kinds, { kind: 'list' });

const reasonOf = (issue: { path: PropertyKey[]; code?: string | undefined } | undefined): string =>
  `${issue?.path.join('.') || 'record'}: ${issue?.code ?? 'invalid'}`;

/** A list whose length a correct host never exceeds. Longer lists are refused. */
export const limited = <T extends z.ZodType>(element: T, most: number, least = 0) =>
  z.array(element).min(least).max(most).register(kinds, { kind: 'list' });

/** The first entries of a list; the others are dropped without parsing, and entries that are not valid are left out. */
export const firstOf = <T extends z.ZodType>(element: T, most: number) =>
  z
    .preprocess((list) => (Array.isArray(list) ? list.slice(0, most) : list), sound(element, most))
    .register(kinds, { kind: 'list' });

/** Sentences for people: the first ones, and the number of the others. */
export const warningTexts = () =>
  z
    .preprocess(
      (list) =>
        Array.isArray(list) && list.length > MOST_WARNINGS
          ? [...list.slice(0, MOST_WARNINGS - 1), `${list.length - MOST_WARNINGS + 1} more warnings.`]
          : list,
      z.array(displayText(WARNING_CHARS)),
    )
    .register(kinds, { kind: 'list' });

/** A correct host sends fewer. */
const MOST_WARNINGS = 1000;
const WARNING_CHARS = 1000;

/** The same as messages. */
export const warningMessages = () => firstOf(sentMessage(WARNING_CHARS), MOST_WARNINGS);

const MOST_PARAMS = 12;
const PARAM_NAME = /^[a-z][a-z0-9_]{0,31}$/;

/** Values in a message: texts are display texts. Others are left out; the message is then shown as its text. */
const messageParams = (max: number) =>
  z
    .unknown()
    .transform((values): Params => {
      if (typeof values !== 'object' || values === null) return {};
      const entries = Object.entries(values).slice(0, MOST_PARAMS);
      return Object.fromEntries(
        entries.flatMap(([name, value]: [string, unknown]): [string, string | number][] => {
          if (!PARAM_NAME.test(name)) return [];
          if (typeof value === 'number') return [[name, value]];
          return typeof value === 'string' ? [[name, cleanText(value.slice(0, ROOM * max), max)]] : [];
        }),
      );
    })
    .register(kinds, { kind: 'values' });

/** A message for people (shared/messages). Codes and values may be those of a newer host. */
export const sentMessage = (max: number) =>
  z.object({ code: code(), params: messageParams(max), text: displayText(max) });

/** A message beside a text that says the same; missing from older hosts. One that is not valid becomes null. */
export const messageBeside = (max: number) => sentMessage(max).nullable().catch(null).optional();
