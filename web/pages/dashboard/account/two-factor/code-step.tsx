import type { Viewer } from '../../../../../contract/pages.ts';
import { Button } from '../../../../components/button.tsx';
import { FormStart, usePageForm } from '../../../../forms/use-page-form.tsx';
import { CodeField } from '../../../sign-in/code-field.tsx';
import { codeForm } from './forms.ts';

type Props = { viewer: Viewer; button: string; onEntered: () => Promise<void> };

/** Asks for a code from the authenticator app. */
export function CodeStep({ viewer, button, onEntered }: Props) {
  const form = usePageForm(codeForm, { viewer, onDone: onEntered });
  return (
    <form {...form.props} className="noscript:hidden max-w-form">
      <FormStart form={form} />
      <CodeField {...form.field('code')} />
      <Button type="submit" busy={form.isBusy}>
        {button}
      </Button>
    </form>
  );
}
