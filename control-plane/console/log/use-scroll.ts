// Connects the scrolling of a log with its rendering.
import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { LogScroll, type RenderedRows, type ScrollOptions } from './log-scroll.js';

export function useLogScroll(options: ScrollOptions): LogScroll {
  const [control] = useState(() => new LogScroll(options));
  control.options = options;
  return control;
}

export interface LogWindow {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly layer: RefObject<HTMLDivElement | null>;
  /** Height of the window in px; 0 before it is known. */
  readonly height: number;
  readonly rendered: RenderedRows;
}

/** For the component with the rows, which alone renders again when the log is scrolled. */
export function useLogWindow(control: LogScroll): LogWindow {
  const scroller = useRef<HTMLDivElement>(null);
  const layer = useRef<HTMLDivElement>(null);
  const [rendered, setRendered] = useState<RenderedRows>({ first: 0, last: 0 });
  const [height, setHeight] = useState(0);
  control.rendered = rendered;
  const { rows, wrap, follows } = control.options;

  useLayoutEffect(() => {
    if (!scroller.current || !layer.current) return;
    const element = scroller.current;
    control.attach({ scroller: element, layer: layer.current });
    control.onRender = (next, now) => {
      const set = () => setRendered({ first: next.first, last: next.last });
      if (now) flushSync(set);
      else set();
    };
    let width = -1;
    const measure = () => {
      if (element.clientWidth !== width) control.remeasure();
      width = element.clientWidth;
      control.resized(element.clientHeight);
      setHeight(element.clientHeight);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener('scroll', control.onScroll, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', control.onScroll);
      control.attach(null);
    };
  }, [control]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: heights depend on whether lines wrap
  useLayoutEffect(() => control.remeasure(), [control, wrap]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: all of these change what is where
  useLayoutEffect(() => control.refresh(), [control, rows, height, wrap, follows]);

  useLayoutEffect(() => control.onRendered());

  return { scroller, layer, height, rendered: { ...rendered, last: Math.min(rendered.last, rows - 1) } };
}
