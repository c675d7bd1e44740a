import { type FormEvent, useState } from 'react';
import { useRevalidator } from 'react-router';
import type { Facts } from '../../../../../contract/admin/health.ts';
import { formatCount } from '../../../../../contract/admin/health-format.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { getErrorMessage } from '../../../../client/api/error-message.ts';
import { getSession } from '../../../../client/session.ts';
import { Button } from '../../../../components/button.tsx';
import { Notice } from '../../../../components/feedback/notice.tsx';
import { useToast } from '../../../../components/feedback/toast.tsx';
import { Moment } from '../../../../components/moment.tsx';
import { Cell, Table } from '../../../../components/table.tsx';
import { useRejectedForm } from '../../../../forms/use-shop-form.ts';
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
  const rejected = useRejectedForm(retryForm.name);
  const [error, setError] = useState(rejected?.root);
  const [submitted, setSubmitted] = useState(false);
  const [busy, setBusy] = useState(false);
  const { revalidate } = useRevalidator();
  const toast = useToast();

  async function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setSubmitted(true);
    setError(undefined);
    try {
      await retryForm.send(getSession(), {});
      toast(retriedMessage);
      // The button is about to disappear.
      document.querySelector('h1')?.focus();
    } catch (failure) {
      setError(getErrorMessage(failure));
    }
    await revalidate();
    setBusy(false);
  }

  return (
    <form method="post" onSubmit={send} className="mt-4">
      {error && (
        <Notice error noFocus={!submitted}>
          {error}
        </Notice>
      )}
      <input type="hidden" name="viewer" value={viewer._id} />
      <input type="hidden" name="form" value={retryForm.name} />
      <Button type="submit" kind="plain" busy={busy}>
        Send failed messages again
      </Button>
    </form>
  );
}
