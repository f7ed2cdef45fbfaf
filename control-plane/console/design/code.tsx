import { classNames } from './class-names.js';
import styles from './code.module.css';
import { CopyButton } from './copy-button.js';

/** A command or a text to copy. `label`: its name, for screen readers. */
export function Code({ label, children }: { label: string; children: string }) {
  return (
    <div className={styles.block}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and has to with the keyboard too */}
      <section className={styles.text} tabIndex={0} aria-label={label}>
        {/* A command is read as a whole; lines of a script or of JSON keep their shape. */}
        <pre className={classNames(!children.includes('\n') && styles.oneLine)}>
          <code>{children}</code>
        </pre>
      </section>
      <CopyButton text={children} />
    </div>
  );
}
