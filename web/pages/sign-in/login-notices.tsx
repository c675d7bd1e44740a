import { Notice } from '../../components/feedback/notice.tsx';

/**
 * Says why the visitor is on the login page: after setting a new password, undoing a change of address, opening a page for admins
 * or users, or the end of the session.
 */
export function LoginNotices({ search }: { search: URLSearchParams }) {
  const notAdmin = search.get('reason') === 'admin';
  return (
    <>
      {search.get('done') === 'reset' && (
        <Notice done announced>
          Your password is changed, you are signed out everywhere, and your passkeys are removed. Sign in with
          the new password.
        </Notice>
      )}
      {search.get('done') === 'undone' && (
        <Notice done announced>
          The change is undone: your account has its former email address again. You are signed out
          everywhere, and your passkeys are removed. Sign in with that address and the new password.
        </Notice>
      )}
      {notAdmin && (
        <Notice>
          That page is for admins. You were signed out; sign in with an admin’s account to open it.
        </Notice>
      )}
      {search.get('from') && !notAdmin && !search.get('error') && (
        <Notice>
          {search.get('reason') === 'ended'
            ? 'You have been signed out. Sign in again to continue: what you typed is saved in this window.'
            : 'Sign in to continue to the page you requested.'}
        </Notice>
      )}
    </>
  );
}
