import type { ComponentProps } from 'react';
import { Button } from '../../../../components/button.tsx';

type Props = ComponentProps<typeof Button> & {
  /** See `applyStep`. */
  step: string;
  /** The id of the element to go to afterwards. */
  goTo: string;
  /** A link's look, for small actions. */
  isSmall?: boolean;
};

/** A button that changes the form without saving it. Without scripts, it posts the form, which is then shown again. */
export function StepButton({ step, goTo, isSmall = false, ...rest }: Props) {
  const props = { type: 'submit', name: 'step', value: step, formAction: `#${goTo}` } as const;
  if (!isSmall) return <Button kind="plain" {...rest} {...props} />;
  const { kind: _, busy: _busy, className = '', ...button } = rest;
  return (
    <button
      {...button}
      {...props}
      className={`link link-alone cursor-pointer justify-center text-sm ${className}`}
    />
  );
}
