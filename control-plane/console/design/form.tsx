// A form. Its fields show what is wrong with them: what the browser or the form finds when it is sent, and what the
// service answers. What belongs to no field is said once, by `FormFailure`.
import {
  type ComponentProps,
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useRef,
  useState,
} from 'react';
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import type { Message } from '../../../shared/messages/message.js';
import { type FieldFailure, problemsIn } from '../data/failure.js';
import { FailureNote } from './failure-note.js';
import { isWithin, ownerOf } from './field-path.js';
import { useProblemText } from './field-problems.js';

interface FormState {
  /** Returns what is wrong with a field, or undefined. */
  problemOf(name: string): FieldFailure | undefined;
  /** Whether something in a field or a group of fields is wrong. */
  isRefused(name: string): boolean;
  /** The field exists until the returned function is called. */
  claim(name: string): () => void;
  /** The field was changed, so that what was wrong with it no longer counts. */
  edited(name: string): void;
  /** The failure, if something in it belongs to no field, with what does not; else null. */
  readonly rest: { readonly error: unknown; readonly problems: readonly FieldFailure[] } | null;
}

const FormContext = createContext<FormState | null>(null);

/** What the form itself finds wrong, by the names of fields; null: nothing. */
export type Checks = Readonly<Record<string, Message | null>>;

export interface FormProps extends Omit<ComponentProps<'form'>, 'onSubmit' | 'action'> {
  /** Of the last attempt; null: none has failed. */
  readonly error: unknown;
  /** Besides what the browser checks: `required`, `type`, `min`, `max`. */
  readonly checks?: Checks;
  /** Called when nothing is wrong. */
  onSubmit(): void;
}

/** @example <Form error={create.error} onSubmit={() => create.mutate(…)}><TextField name="name" … /><FormFailure /></Form> */
export function Form({ error, checks = {}, onSubmit, children, ...rest }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  const [names, setNames] = useState<readonly string[]>([]);
  const [local, setLocal] = useState<readonly FieldFailure[]>([]);
  const [edits, setEdits] = useState<{ readonly of: unknown; readonly names: readonly string[] }>(noEdits);
  const [attempts, setAttempts] = useState(0);
  const failures = problemsIn(error);
  const homeless = failures.filter(({ path }) => ownerOf(path, names) === null);
  const edited = edits.of === error ? edits.names : [];

  // biome-ignore lint/correctness/useExhaustiveDependencies: after an attempt, or its answer
  useEffect(() => {
    if (attempts > 0) focusFirst(form.current);
  }, [attempts, error]);

  const claim = useCallback((name: string) => {
    setNames((known) => [...known, name]);
    return () => setNames((known) => without(known, name));
  }, []);
  const state: FormState = {
    problemOf: (name) =>
      [...local, ...failures].find(
        ({ path }) => isWithin(path, name) && ownerOf(path, [...names, name]) === name && !edited.includes(name),
      ),
    isRefused: (name) => [...local, ...failures].some(({ path }) => isWithin(path, name)),
    claim,
    edited(name) {
      if (local.length > 0) setLocal(local.filter(({ path }) => !isWithin(path, name)));
      if (failures.length > 0) setEdits({ of: error, names: [...edited, name] });
    },
    rest: error && (failures.length === 0 || homeless.length > 0) ? { error, problems: homeless } : null,
  };
  const send = () => {
    const found = [...browserChecks(form.current), ...ownChecks(checks)];
    setLocal(found);
    setAttempts(attempts + 1);
    setEdits(noEdits);
    if (found.length === 0) onSubmit();
  };
  return (
    <form
      method="post"
      {...rest}
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        // A dialog's form may be inside another one for React.
        event.stopPropagation();
        send();
      }}
    >
      <FormContext value={state}>{children}</FormContext>
    </form>
  );
}

const noEdits = { of: null, names: [] };

/** Why the last attempt failed, unless fields say it. */
export function FormFailure({ children }: { children?: ReactNode }) {
  const form = useContext(FormContext);
  return form?.rest ? <FailureNote {...form.rest}>{children}</FailureNote> : null;
}

/**
 * Returns what is wrong with a field of the form around it, and what it calls when it is changed.
 *
 * @param name of the field of the body; undefined: it is not sent
 * @param isList whether it holds several values, of which the problem may be about one
 */
export function useField(name: string | undefined, isList = false) {
  const form = useContext(FormContext);
  const claim = form?.claim;
  useEffect(() => (name === undefined ? undefined : claim?.(name)), [claim, name]);
  const textOf = useProblemText();
  const found = name === undefined ? undefined : form?.problemOf(name);
  return {
    problem: found && name !== undefined ? textOf(found, isList ? name : null) : undefined,
    edited: () => (name === undefined ? undefined : form?.edited(name)),
  };
}

/** Returns a ref of `<details>`, which is opened when something in it is refused: a closed one would hide why. */
export function useOpenWhenRefused(name: string) {
  const details = useRef<HTMLDetailsElement>(null);
  const isRefused = useContext(FormContext)?.isRefused(name) ?? false;
  useEffect(() => {
    if (isRefused && details.current) details.current.open = true;
  }, [isRefused]);
  return details;
}

/** What the browser finds in the fields that it knows. */
function browserChecks(form: HTMLFormElement | null): FieldFailure[] {
  const found: FieldFailure[] = [];
  for (const field of form?.elements ?? []) {
    if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) || field.name === '') continue;
    const problem = browserProblem(field);
    if (problem !== null) found.push({ path: field.name, ...problem });
  }
  return found;
}

function browserProblem(field: HTMLInputElement | HTMLTextAreaElement): Message | null {
  const { required, value, type, validity } = field;
  if (required && value.trim() === '') return fieldProblem('required');
  if (validity.typeMismatch) return type === 'email' ? fieldProblem('invalid_email') : fieldProblem('not_a_url');
  if (validity.badInput) return fieldProblem('invalid_format');
  return null;
}

const ownChecks = (checks: Checks): FieldFailure[] =>
  Object.entries(checks).flatMap(([path, problem]) => (problem === null ? [] : [{ path, ...problem }]));

function without(names: readonly string[], name: string): readonly string[] {
  const at = names.indexOf(name);
  return names.filter((_, place) => place !== at);
}

/** A group of choices takes no focus itself. */
function focusFirst(form: HTMLFormElement | null): void {
  const first = form?.querySelector<HTMLElement>('[aria-invalid="true"]');
  const target = first?.matches('[role="radiogroup"]') ? first.querySelector<HTMLElement>('[tabindex="0"]') : first;
  target?.focus();
}
