import type { Facts } from '../../../../../contract/admin/health.ts';
import { formatCount } from '../../../../../contract/admin/health-format.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { Button } from '../../../../components/button.tsx';
import { useToast } from '../../../../components/feedback/toast.tsx';
import { Moment } from '../../../../components/moment.tsx';
import { Cell, Table } from '../../../../components/table.tsx';
import { FormStart, usePageForm } from '../../../../forms/use-page-form.tsx';
import { retriedMessage, retryForm } from './retry-mail.ts';

/** The last messages that could not be sent, and a button that sends all of them again. */
export function FailedMail({ facts: { mail }, viewer }: { facts: Facts; viewer: Viewer }) {
  const { failed, failedCount } = mail;
  return (
    <>
      <div className="mt-6">
        <Table
          caption={
            failed.length < failedCount
              ? `The last ${formatCount(failed.length)} messages that could not be sent`
              : 'Messages that could not be sent, latest failure first'
          }
          columns={['Recipient', 'Message', 'Last attempt', 'Response']}
        >
          {failed.map(({ to, kind, addedAt, failedAt, response }) => (
            <tr key={`${addedAt} ${kind} ${to}`}>
              <Cell>
                <span className="block wrap-anywhere sm:min-w-52">{to}</span>
              </Cell>
              <Cell label="Message">{kind}</Cell>
              <Cell label="Last attempt">{failedAt ? <Moment at={failedAt} /> : '–'}</Cell>
              <Cell label="Response">
                <span className="block min-w-0 wrap-anywhere">{response || '–'}</span>
              </Cell>
            </tr>
          ))}
        </Table>
      </div>
      <RetryForm viewer={viewer} />
    </>
  );
}

function RetryForm({ viewer }: { viewer: Viewer }) {
  const toast = useToast();
  const form = usePageForm(retryForm, {
    viewer,
    onDone() {
      toast(retriedMessage);
      // The button is about to disappear.
      document.querySelector('h1')?.focus();
    },
  });
  return (
    <form {...form.props} className="mt-4">
      <FormStart form={form} />
      <Button type="submit" kind="plain" busy={form.isBusy}>
        Send failed messages again
      </Button>
    </form>
  );
}
