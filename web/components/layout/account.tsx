import { type FormEvent, useEffect } from 'react';
import { useLocation, useNavigate, useRevalidator } from 'react-router';
import { formatQuantity } from '../../../contract/admin/health-format.ts';
import { basketPage, homePage, signOutPage } from '../../../contract/page-addresses.ts';
import type { Viewer } from '../../../contract/pages.ts';
import { reloadBasket, useBasketQuantities, watchBasket } from '../../client/basket-quantities.ts';
import { getSession } from '../../client/session.ts';
import { useToast } from '../feedback/toast.tsx';
import { NavLink } from '../link.tsx';
import { HeaderSearch } from './header-search.tsx';

export { InBasket } from '../catalogue/in-basket.tsx';

/** The parts that only signed-in users see, in a chunk of their own (`account-parts.ts`). */

/** The search box, the user's name and the signOut button, which work without scripts. */
export function AccountMenu({ viewer, button }: { viewer: Viewer; button: string }) {
  const navigate = useNavigate();
  const { revalidate } = useRevalidator();
  const toast = useToast();
  const signOut = (event: FormEvent) => {
    event.preventDefault();
    getSession()
      .signOut()
      // Navigate first: revalidating a private page would redirect to sign in.
      .then(() => navigate(homePage))
      .then(revalidate)
      .catch((error: Error) => toast(error.message, 'wrong'));
  };
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-4 text-sm md:flex-nowrap">
      <HeaderSearch />
      <form
        method="post"
        action={signOutPage}
        onSubmit={signOut}
        className="flex min-w-0 flex-wrap items-center gap-4 text-sm md:flex-nowrap"
      >
        <span className="max-w-48 truncate text-soft md:max-xl:hidden">{viewer.name}</span>
        <button type="submit" className={button}>
          signOut
        </button>
      </form>
    </div>
  );
}

/** A link to the basket with the number of its pieces: "Basket, 3 pieces". */
export function BasketLink({ viewer }: { viewer: Viewer }) {
  const quantities = useBasketQuantities(viewer);
  const count = quantities && Object.values(quantities).reduce((sum, quantity) => sum + quantity, 0);
  const { pathname } = useLocation();
  const isUnknown = count === undefined;
  useEffect(() => {
    // The basket page loads the whole basket anyway.
    const reload = () => void (pathname === basketPage || reloadBasket());
    if (isUnknown) reload();
    return watchBasket(reload);
  }, [isUnknown, pathname]);
  return (
    <NavLink to={basketPage} className="menu-link shrink-0 justify-center gap-1.5">
      <svg
        viewBox="0 0 24 24"
        className="size-6 shrink-0"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinejoin="round"
        strokeLinecap="round"
        aria-hidden="true"
      >
        <path d="M2.5 9.5h19l-2 11h-15zM7 9.5l4-6M17 9.5l-4-6" />
        <path d="M8.5 13v4M12 13v4M15.5 13v4" className="stroke-brass" />
      </svg>
      <span aria-hidden="true" className="max-lg:hidden">
        Basket
      </span>
      <span aria-hidden="true" className="figures font-medium">
        {count}
      </span>
      <span className="sr-only">{isUnknown ? 'Basket' : `Basket, ${formatQuantity(count, 'piece')}`}</span>
    </NavLink>
  );
}
