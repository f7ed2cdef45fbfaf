// The kinds of strings, lists and times that a host sends. Every one in a message or request of a host has a kind, which
// is the only place where it is checked: what passes the schema is safe to store and to show.
//
// Refused is what only a broken host sends: the message or request is invalid. Whatever a build can influence (texts,
// names, paths, numbers of entries) is cleaned, cut or left out instead, so that no build can cut off its host.
import { z } from 'zod';
import { cleanText } from '../clean-text.js';
import { badArtifactName } from '../paths/artifact-name.js';
import { firstWarnings } from '../warnings.js';

/** The schemas that are a kind, with its name; a test finds the strings and lists without one. */
export const kinds = z.registry<{ kind: string }>();

/** An identifier that the service has given: it names rows, files and folders. Others are refused. */
export const id = () =>
  z
    .string()
    .regex(/^[A-Za-z0-9_][A-Za-z0-9_-]{0,99}$/)
    .register(kinds, { kind: 'identifier' });

/** A version of a program, or a word such as `arm64`. Others are refused. */
export const version = () =>
  z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$/)
    .register(kinds, { kind: 'version' });

/** A secret of the link in an enrolment: printable ASCII. Others are refused. */
export const token = () =>
  z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/)
    .register(kinds, { kind: 'token' });

/** SHA-256 in lower case hex. Others are refused. */
export const sha256Hex = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .register(kinds, { kind: 'hash' });

/** A full commit id, SHA-1 or SHA-256. Others are refused. */
export const commitId = z
  .string()
  .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/)
  .register(kinds, { kind: 'commit' });

/** One of the API's codes; any other text becomes null, which stands for an unknown one. */
export const code = () =>
  z
    .string()
    .nullable()
    .transform((text) => (text !== null && /^[a-z][a-z0-9_]{0,63}$/.test(text) ? text : null))
    .register(kinds, { kind: 'code' });

/** Escape sequences and characters that are removed count towards this multiple of a text's length. */
const ROOM = 8;

/** A text for people, in one line: cleaned of what controls a terminal or hides text, and cut. */
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

/** A path on the host, which is compared but never opened here. One that is too long or misleading becomes empty. */
export const hostPath = () =>
  z
    .string()
    .transform((path) => (path.length > LONGEST_PATH || MISLEADING.test(path) ? '' : path))
    .register(kinds, { kind: 'path' });

/** The name of an artifact in a request. Others are refused. */
export const artifactName = () =>
  z
    .string()
    .refine((name) => badArtifactName(name) === null)
    .register(kinds, { kind: 'artifact name' });

/** Milliseconds since the epoch, within the range of dates. Others are refused. */
export const time = () => z.int().min(0).max(8.64e15).register(kinds, { kind: 'time' });

/** A list that a correct host never makes longer. Longer ones are refused. */
export const limited = <T extends z.ZodType>(element: T, most: number, least = 0) =>
  z.array(element).min(least).max(most).register(kinds, { kind: 'list' });

/** The first entries of a list; the others are dropped unread. */
export const firstOf = <T extends z.ZodType>(element: T, most: number) =>
  z
    .preprocess((list) => (Array.isArray(list) ? list.slice(0, most) : list), z.array(element))
    .register(kinds, { kind: 'list' });

/** The same for entries with the name of an artifact; those whose names are refused are left out. */
export const firstNamed = <T extends z.ZodType>(element: T, most: number) =>
  z
    .preprocess(
      (list) => (Array.isArray(list) ? list.slice(0, most).filter(isWellNamed) : list),
      z.array(element),
    )
    .register(kinds, { kind: 'list' });

const isWellNamed = (entry: { name?: unknown } | null) =>
  typeof entry?.name !== 'string' || badArtifactName(entry.name) === null;

/** Sentences for people: the first ones, and how many more there were. */
export const warningTexts = () =>
  z
    .preprocess(
      (list) => (Array.isArray(list) ? firstWarnings(list, 1000) : list),
      z.array(displayText(1000)),
    )
    .register(kinds, { kind: 'list' });
