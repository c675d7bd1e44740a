import { type LoaderFunctionArgs, useLoaderData, useSearchParams } from 'react-router';
import { loginPage, myOrdersPage, productsPage } from '../../contract/page-addresses.ts';
import { loaderContext } from '../client/route-context.ts';
import { ButtonLink } from '../components/button.tsx';
import { truncate } from '../components/catalogue/excerpt.ts';
import { ProductCard } from '../components/catalogue/product-card.tsx';
import { Notice } from '../components/feedback/notice.tsx';
import { ClockHands } from '../components/layout/clock-hands.tsx';
import { Link } from '../components/link.tsx';
import { PageHead } from '../components/page-head.tsx';
import { SectionHeading } from '../components/section-heading.tsx';
import movement from '../drawings/movement.svg';
import { Brands } from './home/brands.tsx';
import { CategoryTiles } from './home/category-tiles.tsx';
import { ContactBoxes } from './home/contact-boxes.tsx';
import { PromiseBand } from './home/promise-band.tsx';
import { RecentOrders } from './home/recent-orders.tsx';
import { Reviews, summarizeReview } from './home/reviews.tsx';

/** For links without scripts: `?reviews=` is the id after which reviews start, `?review=` the one to show in full. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  const { client } = context.get(loaderContext);
  const { searchParams } = new URL(request.url);
  const start = searchParams.get('reviews') ?? undefined;
  const openReview = searchParams.get('review');
  const [products, reviews] = await Promise.all([
    client.call('listProducts', { query: { limit: 3 } }),
    client.list('listReviews', { query: start ? { limit: 48, after: start } : { limit: 12 } }),
  ]);
  return {
    // Loader data becomes part of the HTML, so include only what the page shows.
    products: products.map(({ _id, name, price, img, description, o_quantity, a_quantity, delivery }) => ({
      _id,
      name,
      price,
      img,
      description: truncate(description, 100),
      o_quantity,
      a_quantity,
      ...(delivery ? { delivery } : {}),
    })),
    reviews: {
      ...reviews,
      start,
      rows: reviews.rows.map((review) => summarizeReview(review, review._id === openReview)),
    },
  };
}

export function Component() {
  const { products, reviews } = useLoaderData<typeof loader>();
  const [search] = useSearchParams();
  return (
    <>
      <PageHead
        title="Hand tools for the repair of clocks"
        description="Hand pullers, mainspring winders, depthing tools and the rest of a clock repairer's bench, drawn, measured and kept in stock."
      />
      {search.get('reason') === 'orders' && (
        <Notice>
          You were signed out because your orders could not be opened.{' '}
          <Link to={`${loginPage}?from=${myOrdersPage}`} className="link">
            Sign in again
          </Link>
        </Notice>
      )}
      <Hero />
      <div className="flex flex-col gap-20">
        <div>
          <Statistics />
          <PromiseBand />
        </div>
        <section>
          <SectionHeading label="Plate II" title="From the bench">
            <Link to={productsPage} className="link link-alone">
              All products
            </Link>
          </SectionHeading>
          <CategoryTiles />
          <ul className="cards sm:grid-cols-3">
            {products.map((product, index) => (
              <ProductCard
                key={product._id}
                product={product}
                figure={index + 1}
                headingLevel="h3"
                wide={index === 0}
              />
            ))}
          </ul>
        </section>
        <Reviews key={reviews.rows[0]?._id} first={reviews} />
        <RecentOrders />
        <Brands />
        <ContactBoxes />
      </div>
    </>
  );
}

function Hero() {
  return (
    <section className="mb-16 grid items-center gap-x-12 gap-y-10 md:grid-cols-[1fr_22rem] lg:grid-cols-[1fr_32rem]">
      <div>
        <p className="caps mb-4 text-brass">Plate I · The movement</p>
        <h1 tabIndex={-1} className="mb-6 text-4xl">
          Hand tools for the repair of clocks
        </h1>
        <p className="mb-8 max-w-text text-lg text-soft">
          Pullers, winders, broaches and gauges for the bench, each one drawn, measured and kept in stock.
        </p>
        <div className="flex flex-wrap gap-4">
          <ButtonLink to={productsPage}>Browse the tools</ButtonLink>
          <ButtonLink to="#reviews" kind="plain">
            Read the reviews
          </ButtonLink>
        </div>
      </div>
      <figure>
        <div className="relative mx-auto aspect-square max-w-[32rem]">
          <img src={movement} alt="" width={640} height={640} className="size-full" fetchPriority="high" />
          <ClockHands />
        </div>
        {/* A dimension line, as on every engraving. */}
        <p className="figures mx-auto mt-5 flex max-w-[32rem] items-center gap-3 border-x border-edge text-xs text-soft before:h-px before:grow before:bg-edge after:h-px after:grow after:bg-edge">
          128 mm
        </p>
        <figcaption className="mt-4 text-center text-sm text-balance text-soft">
          <span className="caps mr-1 text-brass">Frontispiece</span> Eight-day movement, seen from behind. The
          hands show your time.
        </figcaption>
      </figure>
    </section>
  );
}

const statistics = [
  ['40', 'countries'],
  ['544+', 'complete projects'],
  ['243+', 'happy clients'],
  ['432+', 'feedbacks'],
] as const;

function Statistics() {
  return (
    <dl className="plate grid-cols-2 md:grid-cols-4">
      {statistics.map(([number, label]) => (
        <div key={label} className="flex flex-col-reverse justify-end px-3 py-6 text-center">
          <dt className="text-sm text-soft">{label}</dt>
          <dd className="figures font-serif text-3xl">{number}</dd>
        </div>
      ))}
    </dl>
  );
}
