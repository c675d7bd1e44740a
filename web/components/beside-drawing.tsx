import type { ReactNode } from 'react';
import { useAllStyles } from '../shop.tsx';

type Props = {
  /** The URL of a square drawing; its text is left out, because it adds nothing to the page's words. */
  drawing: string;
  children: ReactNode;
};

/** A form or a short text with a drawing beside it, or above it on phones. */
export function BesideDrawing({ drawing, children }: Props) {
  return (
    <div className="grid items-center gap-x-16 gap-y-4 max-md:-mt-6 md:grid-cols-2">
      <link rel="stylesheet" href={useAllStyles()} precedence="default" />
      <img
        src={drawing}
        alt=""
        width={600}
        height={600}
        className="size-24 md:order-last md:size-full md:max-w-[28rem] md:justify-self-center"
      />
      <div className="w-full max-w-form">{children}</div>
    </div>
  );
}
