import { useNavigate } from 'react-router';
import { getSession } from '../../client/session.ts';
import type { PageForm } from '../../forms/page-form.ts';
import { usePageForm } from '../../forms/use-page-form.tsx';

/**
 * The form of a page that the link in a message opens. Mail scanners open links, too, so only sending it changes anything, and
 * the page doesn't even check the token.
 */
export function useLinkForm(definition: PageForm) {
  const navigate = useNavigate();
  return usePageForm(definition, {
    async onDone(_, { donePage }) {
      await getSession().refresh();
      // Removes the link from the browser's history.
      await navigate(donePage(), { replace: true });
    },
  });
}
