import { type LoaderFunctionArgs, matchPath, Outlet, useLocation } from 'react-router';
import {
  addProductPage,
  addReviewPage,
  allOrdersPage,
  auditPage,
  countProductsPage,
  customsPage,
  dashboardPage,
  deleteAccountPage,
  deliveryRatesPage,
  healthPage,
  historyPage,
  importProductsPage,
  invoicesPage,
  managedProductPages,
  manageProductsPage,
  messagesPage,
  myOrdersPage,
  orderPages,
  passkeysPage,
  paymentPages,
  pickListPage,
  reviewsPage,
  securityPage,
  shopDetailsPage,
  slipsPage,
  stockPage,
  twoFactorPage,
  usersPage,
} from '../../contract/page-addresses.ts';
import { requireViewer } from '../client/route-access.ts';
import { useViewer } from '../client/viewer.ts';
import { Notice } from '../components/feedback/notice.tsx';
import { Icon } from '../components/layout/icon.tsx';
import { Link, NavLink } from '../components/link.tsx';
import { useAllStyles } from '../shop.tsx';

export function loader(args: LoaderFunctionArgs) {
  requireViewer(args);
  return null;
}

type MenuEntry = { to: string; name: string };

type MenuGroup = { title?: string; entries: MenuEntry[] };

/** As specified, the phone menu says All Users and links My Profile to /dashboard/history. */
function listMenuGroups(admin: boolean, phone: boolean): MenuGroup[] {
  if (admin)
    return [
      {
        title: 'People',
        entries: [
          { to: usersPage, name: phone ? 'All Users' : 'Make Admin' },
          { to: reviewsPage, name: 'Reviews' },
          { to: messagesPage, name: 'Messages' },
        ],
      },
      {
        title: 'Trade',
        entries: [
          { to: allOrdersPage, name: 'All Orders' },
          { to: addProductPage, name: 'Add Product' },
          { to: manageProductsPage, name: 'Manage Products' },
          { to: stockPage, name: 'Stock' },
        ],
      },
      {
        title: 'Shop',
        entries: [
          { to: shopDetailsPage, name: 'Shop Details' },
          { to: deliveryRatesPage, name: 'Delivery' },
          { to: auditPage, name: 'Audit Log' },
          { to: healthPage, name: 'Health' },
          { to: securityPage, name: 'Sign-in and security' },
        ],
      },
    ];
  return [
    {
      entries: [
        { to: phone ? historyPage : dashboardPage, name: 'My Profile' },
        { to: myOrdersPage, name: 'My Orders' },
        { to: addReviewPage, name: 'Add Review' },
      ],
    },
  ];
}

const listMenuEntries = (admin: boolean, phone: boolean): MenuEntry[] =>
  listMenuGroups(admin, phone).flatMap(({ entries }) => entries);

/** The pages without an entry in the viewer's phone menu; an admin may open a customer's pages. */
const otherPages: MenuEntry[] = [
  ...listMenuEntries(false, false),
  { to: securityPage, name: 'Sign-in and security' },
  { to: deleteAccountPage, name: 'Delete your account' },
  { to: twoFactorPage, name: 'Two-factor sign-in' },
  { to: passkeysPage, name: 'Passkeys' },
  { to: `${orderPages}/:id`, name: 'Order' },
  { to: slipsPage, name: 'Packing slips' },
  { to: pickListPage, name: 'Pick list' },
  { to: customsPage, name: 'Customs declarations' },
  { to: invoicesPage, name: 'Invoices' },
  { to: importProductsPage, name: 'Import Products' },
  { to: countProductsPage, name: 'Count Stock' },
  { to: `${managedProductPages}/:id`, name: 'Product' },
  { to: `${managedProductPages}/:id/stock`, name: 'Stock' },
  { to: `${paymentPages}/:id`, name: 'Payment' },
];

export function Component() {
  const viewer = useViewer();
  const admin = viewer?.role === 'admin';
  const { key, pathname } = useLocation();
  const overview = admin ? [{ to: dashboardPage, name: 'Overview' }] : [];
  const currentName = [...listMenuEntries(admin, true), ...overview, ...otherPages].find(({ to }) =>
    matchPath(to, pathname),
  )?.name;
  // On the payment page, nothing but the way to pay stands out.
  const isQuiet = matchPath(`${paymentPages}/:id`, pathname) !== null;
  return (
    <div
      className={`grid grid-cols-1 gap-x-12 print:block ${isQuiet ? 'gap-y-4' : 'gap-y-8 lg:grid-cols-[12rem_1fr]'}`}
    >
      <link rel="stylesheet" href={useAllStyles()} precedence="default" />
      {isQuiet ? (
        <nav aria-label="Dashboard" className="hidden lg:block print:hidden">
          <QuietMenu entries={listMenuEntries(admin, false)} />
        </nav>
      ) : (
        <nav id="menu" aria-label="Dashboard" className="hidden lg:block">
          <p className="caps mb-3 text-brass">Dashboard</p>
          <Menu groups={listMenuGroups(admin, false)} />
        </nav>
      )}
      <details
        key={key}
        className={`group lg:hidden print:hidden ${isQuiet ? 'border-b border-rule' : 'border border-edge bg-leaf'}`}
      >
        <summary
          className={`flex min-h-12 items-center justify-between ${isQuiet ? 'text-sm text-soft' : 'px-4 font-medium'}`}
        >
          <span className="flex flex-wrap items-baseline gap-x-3">
            <span className="caps text-brass">Dashboard</span>
            {currentName}
          </span>
          <Icon name="unfold" className="text-blued group-open:rotate-180" />
        </summary>
        <nav aria-label="Dashboard" className="px-4 pb-3">
          <Menu groups={listMenuGroups(admin, true)} />
        </nav>
      </details>
      <div className="min-w-0">
        {viewer?.adminStep && pathname !== twoFactorPage && (
          <Notice>
            This shop requires two-factor sign-in for admins.{' '}
            <Link to={twoFactorPage} className="link">
              {viewer.adminStep === 'code' ? 'Enter a code' : 'Turn it on'}
            </Link>{' '}
            to see the admin pages.
          </Notice>
        )}
        <Outlet />
      </div>
    </div>
  );
}

/** The menu in one row, for a page with one thing to do. */
function QuietMenu({ entries }: { entries: MenuEntry[] }) {
  return (
    <ul className="-mt-4 flex flex-wrap gap-x-6 text-sm">
      {entries.map(({ to, name }) => (
        <li key={to}>
          <Link to={to} className="link-alone text-soft no-underline hover:underline">
            {name}
          </Link>
        </li>
      ))}
    </ul>
  );
}

function Menu({ groups }: { groups: MenuGroup[] }) {
  return groups.map(({ title, entries }) => (
    <div key={title ?? ''} className="not-first:mt-5">
      {title && (
        <p aria-hidden="true" className="mb-1 text-xs text-soft">
          {title}
        </p>
      )}
      <ul aria-label={title} className="border-t border-rule">
        {entries.map(({ to, name }) => (
          <li key={to} className="border-b border-rule">
            <NavLink
              to={to}
              end
              className="flex min-h-11 items-center border-edge pl-3.5 text-sm text-ink no-underline hover:border-l-2 hover:pl-3 aria-[current=page]:border-l-2 aria-[current=page]:border-brass aria-[current=page]:pl-3 aria-[current=page]:font-medium"
            >
              {name}
            </NavLink>
          </li>
        ))}
      </ul>
    </div>
  ));
}
