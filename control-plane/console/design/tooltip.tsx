// A text beside an element while it has the pointer or the focus.
import {
  cloneElement,
  type FocusEvent,
  type PointerEvent,
  type ReactElement,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { createPortal } from 'react-dom';
import { clock, type Timer } from '../clock.js';
import styles from './tooltip.module.css';

const DELAY_MS = 350;
/** Time for the pointer to go from the element to the text. */
const LEAVE_MS = 120;
const GAP = 6;
const EDGE = 4;

type Child = ReactElement<Record<string, unknown>>;
type Handler = (event: never) => void;

/** `children`: one focusable element. */
export function Tooltip({ text, children }: { text: string; children: Child }) {
  const [anchor, setAnchor] = useState<Element | null>(null);
  const timer = useRef<Timer | null>(null);
  const show = (next: Element | null, delayMs = 0) => {
    timer.current?.cancel();
    if (delayMs > 0) timer.current = clock.setTimeout(() => setAnchor(next), delayMs);
    else setAnchor(next);
  };
  const hide = () => show(null);
  const leave = () => show(null, LEAVE_MS);
  useEffect(() => () => timer.current?.cancel(), []);
  /** The element's own handler runs too. */
  const also = (name: string, handle: Handler) => ({
    [name]: (event: never) => {
      (children.props[name] as Handler | undefined)?.(event);
      handle(event);
    },
  });
  return (
    <>
      {cloneElement(children, {
        ...also('onPointerEnter', ({ currentTarget, pointerType }: PointerEvent) => {
          if (pointerType !== 'touch') show(currentTarget, DELAY_MS);
        }),
        ...also('onPointerLeave', leave),
        ...also('onPointerDown', hide),
        ...also('onFocus', ({ currentTarget }: FocusEvent) => {
          if (currentTarget.matches(':focus-visible')) show(currentTarget);
        }),
        ...also('onBlur', hide),
      })}
      {anchor
        ? createPortal(
            <Popup anchor={anchor} text={text} onHide={hide} onLeave={leave} onEnter={() => show(anchor)} />,
            document.body,
          )
        : null}
    </>
  );
}

interface PopupProps {
  readonly anchor: Element;
  readonly text: string;
  onEnter(): void;
  onLeave(): void;
  onHide(): void;
}

function Popup({ anchor, text, onEnter, onLeave, onHide }: PopupProps) {
  const popup = useRef<HTMLDivElement>(null);
  const latest = useRef(onHide);
  latest.current = onHide;
  useLayoutEffect(() => {
    const { current } = popup;
    if (!current) return;
    current.showPopover();
    place(current, anchor);
    // The browser scrolls to what gets the focus.
    const onScroll = () => place(current, anchor);
    const onKey = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') latest.current();
    };
    addEventListener('scroll', onScroll, true);
    addEventListener('keydown', onKey, true);
    return () => {
      removeEventListener('scroll', onScroll, true);
      removeEventListener('keydown', onKey, true);
    };
  }, [anchor]);
  return (
    <div
      ref={popup}
      popover="manual"
      role="tooltip"
      className={styles.popup}
      onPointerEnter={onEnter}
      onPointerLeave={onLeave}
    >
      {text}
    </div>
  );
}

/** Above the element, or below it where there is no room. */
function place(popup: HTMLElement, anchor: Element): void {
  const near = anchor.getBoundingClientRect();
  const { width, height } = popup.getBoundingClientRect();
  const left = near.left + (near.width - width) / 2;
  popup.style.left = `${Math.max(EDGE, Math.min(left, innerWidth - width - EDGE))}px`;
  const above = near.top - height - GAP;
  popup.style.top = `${above < EDGE ? near.bottom + GAP : above}px`;
}
