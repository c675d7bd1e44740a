import type { ContactMessage } from '../../../../../contract/admin/contact-messages.ts';
import { formatQuantity } from '../../../../../contract/admin/health-format.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { Button } from '../../../../components/button.tsx';
import { HiddenFields } from '../../../../forms/fields/hidden-fields.tsx';
import { useButtonForm } from '../../../../forms/use-button-form.ts';
import { answeredForm } from './answered.ts';

type Props = { messages: ContactMessage[]; viewer: Viewer; onDone: (count: number) => void };

/** Marks all listed messages as answered, for example after a flood. The form is folded, so that it takes more than one click. */
export function MarkAll({ messages, viewer, onDone }: Props) {
  const form = useButtonForm(answeredForm, { viewer, onDone: ({ modifiedCount }) => onDone(modifiedCount) });
  return (
    <details className="mt-6">
      <summary className="link-alone w-fit cursor-pointer text-blued">Mark many as answered</summary>
      <form {...form.props} className="mt-3">
        <HiddenFields form={form} />
        <input type="hidden" name="ids" value={messages.map(({ _id }) => _id).join(' ')} />
        <Button type="submit" name="answered" value="yes" kind="plain" busy={form.isBusy}>
          {`Mark the ${formatQuantity(messages.length, 'message')} shown as answered`}
        </Button>
      </form>
    </details>
  );
}
