import { createContext, useContext, useEffect } from 'react';

/** Collects the title and description of a page during server rendering. */
export const HeadContext = createContext<{ title: string; description: string } | undefined>(undefined);

/** Sets the page's title and description. */
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
