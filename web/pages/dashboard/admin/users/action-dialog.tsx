import type { ReactNode } from 'react';
import type { User } from '../../../../../contract/accounts/users.ts';
import { ApiError } from '../../../../client/api/client.ts';
import { getErrorMessage } from '../../../../client/api/error-message.ts';
import { getSession } from '../../../../client/session.ts';
import { ConfirmDialog } from '../../../../components/feedback/dialog.tsx';
import { useToast } from '../../../../components/feedback/toast.tsx';

export type UserAction = 'promote' | 'demote' | 'signOut';

type Wording = { title: string; confirm: string; body: ReactNode };

function describeAction(action: UserAction, { name, email, emailVerified }: User, isSelf: boolean): Wording {
  if (action === 'promote')
    return {
      title: `Make ${name} an admin?`,
      confirm: 'Make Admin',
      body: `${emailVerified ? '' : 'This address is not confirmed, so the account may be somebody else’s. '}${email} will see all orders and addresses, and can make other users admins.`,
    };
  if (action === 'demote')
    return {
      title: isSelf ? 'Remove yourself as an admin?' : `Remove ${name} as an admin?`,
      confirm: 'Remove admin',
      body: isSelf
        ? 'You lose access to these pages at once. Only another admin can restore it.'
        : `${email} loses access to these pages at once, and stays a customer.`,
    };
  return {
    title: isSelf ? 'Sign yourself out everywhere?' : `Sign ${name} out everywhere?`,
    confirm: 'Sign out everywhere',
    body: isSelf
      ? 'This ends all your sessions, including this one.'
      : `All sessions of ${email} end at once. They can sign in again with their password; to prevent that, reset it first.`,
  };
}

/** Performs the action and returns the message that reports it. */
async function act(action: UserAction, { name, email }: User): Promise<string> {
  const { client } = getSession();
  const params = { email };
  if (action === 'promote') {
    const { modifiedCount } = await client.call('makeAdmin', { params });
    return modifiedCount > 0 ? 'Make Admin Successfully' : `${name} is already an admin.`;
  }
  if (action === 'demote') {
    const { modifiedCount } = await client.call('removeAdmin', { params });
    return modifiedCount > 0 ? `${name} is no longer an admin.` : `${name} was not an admin.`;
  }
  const { deletedCount } = await client.call('signOutUser', { params });
  return deletedCount > 0 ? `${name} is signed out everywhere.` : `${name} was not signed in.`;
}

type Props = {
  action: UserAction;
  user: User;
  isSelf: boolean;
  /** Called after success and failure. */
  onDone: (succeeded: boolean) => Promise<void>;
  onClose: () => void;
};

/** Asks for confirmation, then performs the action and reports its result. */
export function ActionDialog({ action, user, isSelf, onDone, onClose }: Props) {
  const toast = useToast();
  const { title, confirm, body } = describeAction(action, user, isSelf);

  async function perform() {
    let succeeded = false;
    try {
      toast(await act(action, user));
      succeeded = true;
    } catch (error) {
      const forbidden = error instanceof ApiError && error.problem.status === 403;
      const text = forbidden && action === 'promote' ? 'Failed to make an admin!' : getErrorMessage(error);
      toast(text, 'wrong');
    }
    await onDone(succeeded);
  }

  return (
    <ConfirmDialog
      title={title}
      confirmLabel={confirm}
      cancelLabel="Cancel"
      onConfirm={perform}
      onClose={onClose}
    >
      <p className="wrap-anywhere text-soft">{body}</p>
    </ConfirmDialog>
  );
}
