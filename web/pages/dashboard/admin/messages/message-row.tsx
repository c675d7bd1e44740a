import type { ContactMessage } from '../../../../../contract/admin/contact-messages.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { Button } from '../../../../components/button.tsx';
import { createContactLink } from '../../../../components/contact-link.ts';
import { Moment } from '../../../../components/moment.tsx';
import { Cell } from '../../../../components/table.tsx';
import { HiddenFields } from '../../../../forms/fields/hidden-fields.tsx';
import { useButtonForm } from '../../../../forms/use-button-form.ts';
import { Email } from '../../email.tsx';
import { rowButton } from '../../row-button.ts';
import { answeredForm, toDone } from './answered.ts';

type Props = {
  message: ContactMessage;
  viewer: Viewer;
  /** `done` is the `?done=` code. */
  onDone: (done: string) => void;
};

export function MessageRow({ message, viewer, onDone }: Props) {
  const { _id, email, message: text, createdAt, answeredAt } = message;
  const form = useButtonForm(answeredForm, { viewer, onDone: (result) => onDone(toDone(result)) });
  return (
    <tr id={_id} tabIndex={-1}>
      <Cell>
        <span className="block max-w-text wrap-anywhere whitespace-pre-line xl:min-w-80">{text}</span>
      </Cell>
      <Cell label="From">
        <a
          href={createContactLink('mailto', email)}
          aria-label={email}
          className="link max-sm:link-alone block w-fit py-0.5 sm:min-w-40"
        >
          <Email>{email}</Email>
        </a>
      </Cell>
      <Cell label="Received">
        <span>
          <Moment at={createdAt} />
          {answeredAt && (
            <span className="block text-soft">
              Answered: <Moment at={answeredAt} />
            </span>
          )}
        </span>
      </Cell>
      <Cell number>
        <form {...form.props}>
          <HiddenFields form={form} />
          <input type="hidden" name="ids" value={_id} />
          <Button
            type="submit"
            name="answered"
            value={answeredAt ? 'no' : 'yes'}
            kind="plain"
            busy={form.isBusy}
            className={rowButton}
          >
            {answeredAt ? 'Mark as not answered' : 'Mark as answered'}
            <span className="sr-only">{` (message from ${email})`}</span>
          </Button>
        </form>
      </Cell>
    </tr>
  );
}
