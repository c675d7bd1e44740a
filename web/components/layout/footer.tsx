import { blogsPage, dashboardPage, productsPage } from '../../../contract/page-addresses.ts';
import { Link } from '../link.tsx';
import { Logo } from './logo.tsx';

const links = [
  [productsPage, 'Products'],
  [blogsPage, 'Blogs'],
  [dashboardPage, 'Your account'],
] as const;

export function Footer() {
  return (
    <footer className="mt-24 border-t-3 border-double border-edge">
      <div className="mx-auto flex max-w-page flex-wrap items-center justify-between gap-x-12 gap-y-4 px-4 py-8 text-sm sm:px-8">
        <p className="flex items-center gap-2.5 font-serif text-lg">
          <Logo />
          Hand-Tools Shop
        </p>
        <nav aria-label="Footer">
          <ul className="flex flex-wrap gap-x-6">
            {links.map(([to, name]) => (
              <li key={to}>
                <Link to={to} className="link link-alone">
                  {name}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <p className="text-soft">Copyright © 2022 Hand-Tools Shop. Hand tools for the repair of clocks.</p>
      </div>
    </footer>
  );
}
