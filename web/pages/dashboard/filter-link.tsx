import { Link } from '../../components/link.tsx';

/** One of the lists that a page can show, marked if it is the current one. */
export function FilterLink({ to, current, children }: { to: string; current: boolean; children: string }) {
  return (
    <Link
      to={to}
      aria-current={current ? 'page' : undefined}
      className={`link-alone ${current ? 'font-medium' : 'link'}`}
    >
      {children}
    </Link>
  );
}
