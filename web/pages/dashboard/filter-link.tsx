import { Link } from '../../components/link.tsx';

/** One of the lists that a page can show, marked if it is the current one. */
export function FilterLink({
  to,
  current,
  keepsPlace = false,
  children,
}: {
  to: string;
  current: boolean;
  /** The page does not scroll to its top. */
  keepsPlace?: boolean;
  children: string;
}) {
  return (
    <Link
      to={to}
      preventScrollReset={keepsPlace}
      aria-current={current ? 'page' : undefined}
      className={`link-alone sm:min-w-6 ${current ? 'border-b-2 border-brass font-medium' : 'link'}`}
    >
      {children}
    </Link>
  );
}
