import { createContext, useContext, useEffect } from 'react';

/** Where the server collects the title and description of the page that it renders. */
export const HeadContext = createContext<{ title: string; description: string } | undefined>(undefined);

/** Names the page in the browser's tab and to search engines. */
export function PageHead({ title, description }: { title: string; description: string }) {
  const head = useContext(HeadContext);
  const full = `${title} – Hand-Tools Shop`;
  if (head) Object.assign(head, { title: full, description });
  useEffect(() => {
    document.title = full;
    document.querySelector('meta[name=description]')?.setAttribute('content', description);
  }, [full, description]);
  return null;
}
