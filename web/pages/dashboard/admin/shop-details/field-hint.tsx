import type { ReactNode } from 'react';
import { Button } from '../../../../components/button.tsx';

type Options = {
  label: string;
  /** The setting with this field's default, and its value. */
  setting: string;
  environment: string;
  /** The current value. */
  value: string;
  /** Another admin has saved the current value, and the form has a different one. */
  replaced: boolean;
  onUse: () => void;
};

/** Where a field's current value comes from, and that value if another admin has just saved it. */
export function renderFieldHint({ label, setting, environment, value, replaced, onUse }: Options): ReactNode {
  if (replaced)
    return (
      <span className="block border-l-4 border-brass pl-3">
        Saved by another admin:
        <span className="block whitespace-pre-line wrap-anywhere text-ink">{value || <i>None</i>}</span>
        <Button kind="plain" className="mt-2 noscript:hidden" onClick={onUse}>
          Use this
          <span className="sr-only">{` (${label})`}</span>
        </Button>
      </span>
    );
  if (!environment) return undefined;
  return value === environment
    ? `From the setting ${setting}, until you change it here.`
    : `Replaces “${environment}”, from the setting ${setting}.`;
}
