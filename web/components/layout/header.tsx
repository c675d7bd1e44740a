import { useLocation, useNavigation } from 'react-router';
import {
  blogsPage,
  dashboardPage,
  homePage,
  loginPage,
  portfolioPage,
  productsPage,
} from '../../../contract/page-addresses.ts';
import { useViewer } from '../../client/viewer.ts';
import { useSettings } from '../../shop.tsx';
import { Link, NavLink } from '../link.tsx';
import { getAccountParts } from './account-parts.ts';
import { CategoryLinks } from './category-links.tsx';
import { Icon } from './icon.tsx';
import { Logo } from './logo.tsx';
import { useClosing } from './use-closing.ts';

export function Header() {
  const viewer = useViewer();
  const parts = getAccountParts();
  const { key } = useLocation();
  const { location: next } = useNavigation();
  const menu = useClosing();
  return (
    <header className="title-rule">
      <div className="mx-auto flex max-w-page flex-wrap items-center justify-end gap-x-1 px-4 py-2 sm:gap-x-3 sm:px-8 md:flex-nowrap md:gap-6 md:py-3">
        {/* On a phone with large text, the name wraps to its longest word before the navigation wraps to a second row. */}
        <div className="max-md:grow max-md:basis-0">
          <Link
            to={homePage}
            className="flex min-h-11 w-fit items-center gap-2.5 font-serif text-base leading-[1.1] text-ink no-underline min-[24rem]:text-lg sm:text-xl sm:whitespace-nowrap"
          >
            <Logo />
            <span>
              <span className="min-[22rem]:whitespace-nowrap">Hand-Tools</span> Shop
            </span>
          </Link>
        </div>
        <nav aria-label="Main" className="hidden min-w-0 grow items-center justify-between gap-6 md:flex">
          <Links className="flex gap-4 lg:gap-7" />
          <div className="flex min-w-0 items-center gap-4">
            <SearchLink className={viewer ? 'xl:hidden' : ''} />
            <UserMenu />
          </div>
        </nav>
        <SearchLink className="md:hidden" />
        {viewer && parts && <parts.BasketLink viewer={viewer} />}
        {/* Native, so that it works without scripts. The key closes it on navigation. */}
        <details key={next?.key ?? key} ref={menu} className="relative md:hidden">
          <summary className="flex min-h-11 list-none items-center gap-2 rounded-control border border-edge bg-leaf px-3.5 text-sm font-medium text-blued [&::-webkit-details-marker]:hidden">
            Menu
            <Icon name="unfold" className="unfold max-[24rem]:hidden" />
          </summary>
          <nav
            aria-label="Main"
            className="absolute right-0 z-40 mt-2 w-64 max-w-[calc(100vw-2rem)] border border-edge bg-leaf px-5 py-4"
          >
            <Links className="flex flex-col gap-1" />
            {/* On wide screens, the catalogue is one step away. */}
            <CategoryLinks className="my-3 border-y border-rule py-2" />
            <UserMenu />
          </nav>
        </details>
      </div>
    </header>
  );
}

function Links({ className }: { className: string }) {
  const viewer = useViewer();
  const links = [
    [homePage, 'Home'],
    [blogsPage, 'Blogs'],
    [productsPage, 'Products'],
    ...(viewer
      ? [
          [portfolioPage, 'MyPortfolio'],
          [dashboardPage, 'Dashboard'],
        ]
      : []),
  ] as const;
  return (
    <ul className={className}>
      {links.map(([to, name]) => (
        <li key={to}>
          <NavLink to={to} end={to === homePage} className="menu-link">
            {name}
          </NavLink>
        </li>
      ))}
    </ul>
  );
}

/** Leads to the search box of the catalogue. */
function SearchLink({ className }: { className: string }) {
  const viewer = useViewer();
  const { openCatalogue } = useSettings();
  const { pathname, search } = useLocation();
  const box = `${productsPage}${pathname === productsPage ? search : ''}#q`;
  return (
    <Link
      // The catalogue would send a visitor to the sign-in page without `#q`.
      to={viewer || openCatalogue ? box : `${loginPage}?from=${encodeURIComponent(box)}`}
      aria-label="Search the catalogue"
      className={`flex size-11 shrink-0 items-center justify-center text-ink ${className}`}
    >
      <svg
        viewBox="0 0 24 24"
        className="size-6"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        aria-hidden="true"
      >
        <circle cx="10" cy="10" r="6.5" />
        <path d="M15 15l6 6" />
      </svg>
    </Link>
  );
}

const button =
  'inline-flex min-h-11 items-center rounded-control border border-edge bg-leaf px-4 text-sm font-medium text-blued no-underline cursor-pointer hover:border-blued';

/** The home page, and pages for users who are not signed in. Some of their URLs contain a token, which must not be copied. */
const notReturnedTo =
  /^\/(login.*|signup|(forgot|reset)-password|account-deleted|(newsletter|back-in-stock)\/.+)?\/?$/i;

function UserMenu() {
  const viewer = useViewer();
  const { pathname, search } = useLocation();
  const parts = getAccountParts();
  if (viewer) return parts && <parts.AccountMenu viewer={viewer} button={button} />;
  const from = notReturnedTo.test(pathname) ? '' : `?from=${encodeURIComponent(pathname + search)}`;
  return (
    <Link to={`${loginPage}${from}`} className={button}>
      signIn
    </Link>
  );
}
