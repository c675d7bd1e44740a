import { useNavigate } from 'react-router';
import { getSession } from '../../client/session.ts';
import type { PageForm } from '../../forms/page-form.ts';
import { usePageForm } from '../../forms/use-page-form.tsx';

/**
 * A form that changes the session. When it is done, the session is read again before the next page opens. The next page replaces
 * this one in the browser's history.
 */
export function useSessionForm(form: PageForm) {
  const navigate = useNavigate();
  return usePageForm(form, {
    async onDone(_, { donePage }) {
      await getSession().refresh();
      await navigate(donePage(), { replace: true });
    },
  });
}
