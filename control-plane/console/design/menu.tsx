// Menus. Only their buttons belong to the first load: the rest is loaded when the pointer or the focus comes near.
import { cloneElement, type KeyboardEvent, type ReactElement, useState } from 'react';
import { unreachable } from '../data/failure.js';
import type { MenuChoiceProps, MenuItemProps, MenuProps } from './menu-parts.js';
import { useToast } from './toast.js';

type Parts = typeof import('./menu-parts.js');

let parts: Parts | null = null;
let loading: Promise<void> | null = null;

/** Never rejects: without a connection `parts` stays null, and the next call tries again. */
export function loadMenus(): Promise<void> {
  loading ??= import('./menu-parts.js').then(
    (loaded) => {
      parts = loaded;
    },
    () => {
      loading = null;
    },
  );
  return loading;
}

/** A button with a list of actions. */
export function Menu(props: MenuProps) {
  const [asked, setAsked] = useState(false);
  const toast = useToast();
  const open = async () => {
    await loadMenus();
    if (parts) setAsked(true);
    else toast.failed(unreachable());
  };
  return asked && parts ? <parts.Menu {...props} /> : <ClosedMenu trigger={props.trigger} onOpen={() => void open()} />;
}

/** The button before the menu was opened for the first time. */
function ClosedMenu({ trigger, onOpen }: Pick<MenuProps, 'trigger'> & { onOpen(): void }): ReactElement {
  const approach = () => void loadMenus();
  return cloneElement(trigger, {
    'aria-haspopup': 'menu',
    'aria-expanded': false,
    onPointerEnter: approach,
    onFocus: approach,
    onClick: onOpen,
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
      event.preventDefault();
      onOpen();
    },
  });
}

/** The parts of a menu are rendered only while one is open. */
function loaded(): Parts {
  if (!parts) throw new Error('a part of a menu outside of one');
  return parts;
}

export function MenuItem(props: MenuItemProps) {
  const Part = loaded().MenuItem;
  return <Part {...props} />;
}

export function MenuLine() {
  const Part = loaded().MenuLine;
  return <Part />;
}

export function MenuChoice<T extends string>(props: MenuChoiceProps<T>) {
  const Part = loaded().MenuChoice;
  return <Part {...props} />;
}
