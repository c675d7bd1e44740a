import { lazy, Suspense } from 'react';
import { type LoaderFunctionArgs, redirect, useLoaderData } from 'react-router';
import { securityPage } from '../../../../contract/page-addresses.ts';
import { ApiError, type Client } from '../../../client/api/client.ts';
import { loaderContext } from '../../../client/route-context.ts';
import { ButtonLink } from '../../../components/button.tsx';
import { PageHeading } from '../../../components/page-heading.tsx';
import { ShortcutSwitch } from '../../../components/shortcut-switch.tsx';
import { findPeriod, isBestSellerPeriod } from '../admin/overview/best-seller-periods.ts';
import { confirmationForm } from './profile/confirmation.ts';
import { emailForm } from './profile/email.ts';
import { passwordForm } from './profile/password.ts';
import { ProfileForm } from './profile/profile-form.tsx';
import { requireSigningIn } from './profile/require-signing-in.ts';
import { SessionList } from './profile/session-list.tsx';
import { SigningIn } from './profile/signing-in.tsx';
import { YourData } from './profile/your-data.tsx';

const loadOverview = () => import('../admin/overview/overview.tsx');
/** Rendered by the server; in browsers, only admins load its script. */
const Overview = import.meta.env.SSR
  ? (await loadOverview()).Overview
  : lazy(async () => ({ default: (await loadOverview()).Overview }));

const loadBook = () => import('./profile/address-book/address-book.tsx');
/** Rendered by the server; in browsers, its script is loaded only if the shop delivers at rates. */
const AddressBook = import.meta.env.SSR
  ? (await loadBook()).AddressBook
  : lazy(async () => ({ default: (await loadBook()).AddressBook }));

/** The forms that admins have on a separate page, `securityPage`. */
const movedDone = new Set([confirmationForm.name, emailForm.name, passwordForm.name]);

export async function loader(args: LoaderFunctionArgs) {
  const { viewer, signsInWith } = requireSigningIn(args);
  const { search, searchParams } = new URL(args.request.url);
  // An admin has posted a form of that page, or returns from Google.
  const isMoved = movedDone.has(searchParams.get('done') ?? '') || searchParams.has('google');
  if (viewer.role === 'admin' && (isMoved || searchParams.has('error')))
    throw redirect(securityPage + search);
  const { client, settings } = args.context.get(loaderContext);
  const [overview, book] = await Promise.all([
    viewer.role === 'admin' ? readOverview(args) : undefined,
    settings.delivers ? readAddressBook(client) : undefined,
  ]);
  return { viewer, signsInWith, overview, book };
}

/** The address book, in the layouts of its countries. */
async function readAddressBook(client: Client) {
  const { loadAddressBook } = await import('./profile/address-book/load-address-book.ts');
  return loadAddressBook(client);
}

/** The last 30 days, and the best sellers of the period in the URL. Undefined for a user who is no longer an admin. */
async function readOverview({ context, request }: LoaderFunctionArgs) {
  const { client } = context.get(loaderContext);
  const period = new URL(request.url).searchParams.get('best');
  try {
    const recent = await client.call('getOverview', {});
    if (!isBestSellerPeriod(period)) return { recent };
    const { bestSellers, total } = await client.call('getOverview', {
      query: findPeriod(period, new Date(recent.to)),
    });
    return { recent, chosen: { period, bestSellers, total } };
  } catch (error) {
    if (error instanceof ApiError && error.problem.status === 403) return undefined;
    throw error;
  }
}

export function Component() {
  const { viewer, signsInWith, overview, book } = useLoaderData<typeof loader>();
  const isAdmin = viewer.role === 'admin';
  return (
    <>
      {overview ? (
        <>
          <PageHeading title="Overview" description="Sales, and work to be done." />
          <Suspense>
            <Overview loaded={overview.recent} chosen={overview.chosen} />
          </Suspense>
          <h2 className="mb-8 border-t-2 border-edge pt-6 text-2xl">My Profile</h2>
        </>
      ) : (
        <PageHeading title="My Profile" description="Your contact details, and how you sign in." />
      )}
      <ProfileForm key={viewer._id} viewer={viewer} />
      {book && (
        <Suspense>
          <AddressBook key={viewer._id} viewer={viewer} book={book} />
        </Suspense>
      )}
      {isAdmin ? (
        <section aria-labelledby="signing-in" className="mt-16 border-t-2 border-edge pt-6">
          <h2 id="signing-in" className="mb-2 text-2xl">
            Sign-in and security
          </h2>
          <p className="mb-6 max-w-text text-soft">
            Your email address and password, two-factor sign-in, passkeys, the devices where you are signed
            in, and your data.
          </p>
          <ButtonLink to={securityPage} kind="plain">
            Sign-in and security
          </ButtonLink>
        </section>
      ) : (
        <>
          <SigningIn viewer={viewer} signsInWith={signsInWith} />
          {/* A changed password renews this session and ends the others. */}
          <SessionList key={viewer.session} />
        </>
      )}
      <section aria-labelledby="keyboard" className="noscript:hidden mt-16 border-t-2 border-edge pt-6">
        <h2 id="keyboard" className="mb-2 text-2xl">
          Keyboard
        </h2>
        <p className="mb-2 max-w-text text-soft">
          On every page, <kbd className="border border-edge px-1.5">/</kbd> takes you to the search box. Turn
          this off if you press keys by accident or use speech input.
        </p>
        <ShortcutSwitch>Enable single-key shortcuts in this browser</ShortcutSwitch>
      </section>
      {!isAdmin && <YourData email={viewer.email} />}
    </>
  );
}
