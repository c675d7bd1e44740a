import { toCategoryPath } from '../../components/catalogue/category-path.ts';
import { getThumbnailUrl } from '../../components/catalogue/product-image.tsx';
import { Link } from '../../components/link.tsx';
import { useCategories } from '../../shop.tsx';

/** The largest categories, each with the drawing of one of its tools. Empty without categories. */
export function CategoryTiles() {
  const categories = useCategories();
  if (categories.length === 0) return null;
  return (
    <ul aria-label="Tools" className="cards mb-6 sm:grid-cols-3 lg:grid-cols-6">
      {categories.map(({ category, count, atLeast, img }) => (
        <li key={category} className="bg-leaf">
          <Link to={toCategoryPath(category)} className="block h-full p-3 text-sm no-underline">
            <img
              src={getThumbnailUrl(img)}
              alt=""
              width={120}
              height={90}
              loading="lazy"
              decoding="async"
              className="lamplit mb-2 object-contain"
            />
            <span className="block font-serif text-base leading-[1.25] text-blued">{category}</span>
            <span className="figures text-soft">
              {`${count}${atLeast ? '+' : ''} ${count === 1 ? 'tool' : 'tools'}`}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
