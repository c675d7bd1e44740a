import { type LoaderFunctionArgs, useLoaderData, useSearchParams } from 'react-router';
import { formatQuantity } from '../../../../contract/admin/health-format.ts';
import { messagesPage } from '../../../../contract/page-addresses.ts';
import { requireAdmin } from '../../../client/route-access.ts';
import { loaderContext } from '../../../client/route-context.ts';
import { EmptyState } from '../../../components/feedback/empty-state.tsx';
import { Notice } from '../../../components/feedback/notice.tsx';
import { useToast } from '../../../components/feedback/toast.tsx';
import { PageHeading } from '../../../components/page-heading.tsx';
import { Table } from '../../../components/table.tsx';
import { useRejectedForm } from '../../../forms/use-rejected-form.ts';
import { useSettings } from '../../../shop.tsx';
import { FilterLink } from '../filter-link.tsx';
import { MoreRows, readRowsQuery } from '../more-rows.tsx';
import { useRowFocus } from '../row-focus.ts';
import { answeredForm } from './messages/answered.ts';
import { MarkAll } from './messages/mark-all.tsx';
import { MessageRow } from './messages/message-row.tsx';

/** The confirmations of plain posts, by `?done=` code. */
const doneTexts = new Map([
  ['answered', 'Marked as answered.'],
  ['reopened', 'Marked as not answered.'],
  ['already-answered', 'Already marked as answered.'],
  ['already-reopened', 'Already marked as not answered.'],
]);

export async function loader(args: LoaderFunctionArgs) {
  const viewer = await requireAdmin(args);
  const { client } = args.context.get(loaderContext);
  const answered = new URL(args.request.url).searchParams.has('answered');
  const query = { ...readRowsQuery(args.request), ...(answered ? { answered: 'true' as const } : {}) };
  return { viewer, answered, ...(await client.list('listContactMessages', { query })) };
}

export function Component() {
  const { viewer, answered, rows, after } = useLoaderData<typeof loader>();
  const [search] = useSearchParams();
  const doneText = doneTexts.get(search.get('done') ?? '');
  const rejected = useRejectedForm(answeredForm.name);
  const { contact } = useSettings();
  const focus = useRowFocus(rows);
  const toast = useToast();
  return (
    <>
      <PageHeading title="Messages" description="Messages from the contact form." />
      {rejected?.root && <Notice error>{rejected.root}</Notice>}
      {doneText && <Notice done>{doneText}</Notice>}
      <p className="mb-6 max-w-text text-soft">
        {contact
          ? 'Visitors sent these messages with the contact form. Each was also emailed to the shop’s contact address. The senders’ addresses are not verified. Messages are deleted after three months.'
          : 'The contact form is not set up. It starts working once CONTACT_EMAIL is set and the shop sends mail.'}
      </p>
      <nav aria-label="Messages" className="mb-6 flex gap-6">
        <FilterLink to={messagesPage} current={!answered}>
          To answer
        </FilterLink>
        <FilterLink to={`${messagesPage}?answered`} current={answered}>
          Answered
        </FilterLink>
      </nav>
      {rows.length === 0 ? (
        <EmptyState title={answered ? 'No answered messages' : 'No messages to answer'}>
          {answered ? 'Messages that you mark as answered are listed here.' : 'New messages are listed here.'}
        </EmptyState>
      ) : (
        <Table
          caption={answered ? 'Answered messages, newest first' : 'Messages to answer, newest first'}
          columns={['Message', 'From', 'Received', 'Action']}
          numbers={['Action']}
        >
          {rows.map((message) => (
            <MessageRow
              key={message._id}
              message={message}
              viewer={viewer}
              onDone={(done) => {
                toast(doneTexts.get(done) ?? '');
                // The row is about to disappear.
                focus.setTargetAfterRemoval(message._id);
                focus.focusTarget();
              }}
            />
          ))}
        </Table>
      )}
      {!answered && rows.length > 1 && (
        <MarkAll
          // The key folds the form again when the list has other messages.
          key={rows[0]?._id}
          messages={rows}
          viewer={viewer}
          onDone={(count) => {
            toast(`${formatQuantity(count, 'message')} marked as answered.`);
            focus.setTarget('main');
            focus.focusTarget();
          }}
        />
      )}
      <MoreRows shown={rows.length} after={after} />
    </>
  );
}
