import type { ComponentProps } from 'react';
import { Link, type LinkProps } from './link.tsx';

/** `quiet` is for a deletion beside other actions. */
type Kind = 'primary' | 'plain' | 'danger' | 'quiet';

const kinds: Record<Kind, string> = {
  primary: 'primary border-blued bg-blued text-leaf hover:bg-ink hover:border-ink',
  plain: 'border-edge bg-leaf text-blued hover:border-blued',
  danger: 'border-edge bg-leaf text-ruby hover:border-ruby',
  quiet: 'border-transparent text-ruby underline-offset-4 hover:underline',
};

/** The look of a button, for a link that the browser itself follows. */
export const getButtonClass = (kind: Kind): string => `button ${kinds[kind]}`;

type ButtonProps = ComponentProps<'button'> & {
  kind?: Kind;
  /** The action is in progress: the button ignores clicks but keeps the focus. */
  busy?: boolean;
};

export function Button({
  kind = 'primary',
  busy = false,
  className = '',
  onClick,
  children,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      onClick={busy ? (event) => event.preventDefault() : onClick}
      aria-disabled={busy || rest['aria-disabled'] || undefined}
      aria-busy={busy || undefined}
      className={`${getButtonClass(kind)} ${className}`}
    >
      {busy && <span className="working" />}
      {children}
    </button>
  );
}

/** A link that looks like a button. */
export function ButtonLink({ kind = 'primary', className = '', ...rest }: LinkProps & { kind?: Kind }) {
  return <Link {...rest} className={`${getButtonClass(kind)} ${className}`} />;
}
