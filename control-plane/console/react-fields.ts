// What React does for fields and Preact leaves out: a field shows the value that it was given, whatever was typed, and
// `autoFocus` works for fields that come later, too. Imported before anything is rendered.
import { options, type VNode } from 'preact';

type Field = HTMLInputElement | HTMLTextAreaElement;

interface Given {
  readonly value?: unknown;
  readonly checked?: unknown;
  readonly autoFocus?: unknown;
}

const isField = (target: unknown): target is Field =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;

/** What each field was given when it was last rendered. */
const given = new WeakMap<Field, Given>();

const { diffed, event: handled } = options;

options.diffed = (node) => {
  diffed?.(node);
  // `__e` is Preact's name for the element of a node. A component has that of what it renders.
  const { __e: element, type, props } = node as VNode<Given> & { readonly __e?: unknown };
  if (typeof type !== 'string' || !isField(element)) return;
  if (!given.has(element) && props.autoFocus) queueMicrotask(() => element.focus());
  given.set(element, props);
};

options.event = (event) => {
  const { target, type } = event as Event;
  // Preact renders in a microtask, which the handlers of this event are about to queue.
  if ((type === 'input' || type === 'change') && isField(target)) {
    queueMicrotask(() => queueMicrotask(() => groupOf(target).forEach(restore)));
  }
  return handled ? handled(event) : event;
};

/** A radio button that is chosen takes the choice from others. */
const groupOf = (field: Field): Field[] =>
  field.type === 'radio' ? [...document.querySelectorAll<HTMLInputElement>('input[type=radio]')] : [field];

function restore(field: Field): void {
  const { value, checked } = given.get(field) ?? {};
  if (field instanceof HTMLInputElement && (field.type === 'checkbox' || field.type === 'radio')) {
    if (typeof checked === 'boolean' && field.checked !== checked) field.checked = checked;
  } else if (typeof value === 'string' && field.value !== value) field.value = value;
}
