import { Link } from './link.tsx';

/** The colophon. */
export function Footer() {
  return (
    <footer className="mt-24 border-t border-rule">
      <div className="mx-auto flex max-w-page flex-wrap items-baseline justify-between gap-x-12 gap-y-4 px-4 py-10 text-sm sm:px-8">
        <p className="font-serif text-lg">Hand-Tools Shop</p>
        <nav aria-label="Footer">
          <ul className="flex flex-wrap gap-x-6 gap-y-2">
            <li>
              <Link to="/products" className="link">
                Products
              </Link>
            </li>
            <li>
              <Link to="/blogs" className="link">
                Blogs
              </Link>
            </li>
            <li>
              <Link to="/dashboard" className="link">
                Your account
              </Link>
            </li>
          </ul>
        </nav>
        <p className="text-soft">Copyright © 2022 Hand-Tools Shop. Hand tools for the repair of clocks.</p>
      </div>
    </footer>
  );
}
