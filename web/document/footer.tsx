import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import {
  blogsPage,
  contactPage,
  dashboardPage,
  deliveryPage,
  myOrdersPage,
  newsletterPage,
  productsPage,
} from '../../contract/page-addresses.ts';
import type { Frame, WebSettings } from '../../contract/pages.ts';
import { cards } from '../components/card-marks.tsx';
import { toCategoryPath } from '../components/catalogue/category-path.ts';

const shopName = 'Hand-Tools Shop';

type Content = Frame & Pick<WebSettings, 'contact' | 'newsletter'>;

let latest: { key: string; html: string } | undefined;

/**
 * The footer, outside React's root: it is the same for all users, so it needs no script and no data. `followLinks`
 * (`client/follow-links.ts`) opens its links.
 */
export function renderFooter(
  { categories, seller, promises, delivers }: Frame,
  { contact, newsletter }: WebSettings,
): string {
  const content: Content = {
    categories,
    seller,
    promises,
    ...(delivers ? { delivers } : {}),
    ...(contact ? { contact } : {}),
    ...(newsletter ? { newsletter } : {}),
  };
  const key = JSON.stringify(content);
  if (latest?.key !== key) latest = { key, html: renderToStaticMarkup(<Footer {...content} />) };
  return latest.html;
}

function Footer({ categories, seller, promises, delivers, contact, newsletter }: Content) {
  return (
    <footer className="mt-12 border-t-3 border-double border-edge">
      <div className="footer-columns mx-auto grid max-w-page grid-cols-[repeat(auto-fill,minmax(max(8rem,34%),1fr))] gap-6 px-4 py-8 text-sm sm:px-8 lg:grid-cols-4">
        <nav aria-label="Footer" className="contents text-blued">
          <Column title="Tools" className="max-lg:row-span-2">
            {categories.map(({ category }) => (
              <FooterLink key={category} to={toCategoryPath(category)}>
                {category}
              </FooterLink>
            ))}
            <FooterLink to={productsPage}>Products</FooterLink>
          </Column>
          <Column title="Help" className="help">
            {contact && <FooterLink to={contactPage}>Write to us</FooterLink>}
            {delivers && <FooterLink to={deliveryPage}>Delivery costs</FooterLink>}
            <FooterLink to={blogsPage}>Blogs</FooterLink>
            {newsletter && <FooterLink to={newsletterPage}>Newsletter</FooterLink>}
          </Column>
          <Column title="Account">
            <FooterLink to={dashboardPage}>Your account</FooterLink>
            <FooterLink to={myOrdersPage}>Your orders</FooterLink>
          </Column>
        </nav>
        <section className="max-lg:col-span-full">
          <Title>Seller</Title>
          <p className="font-serif text-lg">{shopName}</p>
          {seller
            .filter((line) => line !== shopName)
            .map((line) => (
              <p key={line} className="seller text-soft">
                {line}
              </p>
            ))}
          <ul aria-label="Cards" className="mt-4 flex flex-wrap gap-2">
            {cards.map((card) => (
              <li key={card} className="caps border border-edge bg-leaf px-2 py-1">
                {card}
              </li>
            ))}
          </ul>
        </section>
        {promises.length > 0 && (
          <ul
            aria-label="What we promise"
            className="col-span-full flex flex-wrap gap-x-8 gap-y-1 border-t border-rule pt-6"
          >
            {promises.map(({ name, text }) => (
              <li key={name}>{text}</li>
            ))}
          </ul>
        )}
        <p className="col-span-full border-t border-rule pt-6 text-soft">
          Copyright © 2022 {shopName}. Hand tools for the repair of clocks.
        </p>
      </div>
    </footer>
  );
}

type ColumnProps = { title: string; className?: string; children: ReactNode };

function Column({ title, className, children }: ColumnProps) {
  return (
    <div className={className}>
      <Title>{title}</Title>
      <ul>{children}</ul>
    </div>
  );
}

function Title({ children }: { children: string }) {
  return <h2 className="caps mb-2 text-brass">{children}</h2>;
}

function FooterLink({ to, children }: { to: string; children: string }) {
  return (
    <li>
      <a href={to} className="menu-link">
        {children}
      </a>
    </li>
  );
}
