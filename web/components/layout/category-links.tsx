import { useCategories } from '../../shop.tsx';
import { toCategoryPath } from '../catalogue/category-path.ts';
import { Link } from '../link.tsx';

/** Links to the largest categories of the catalogue. Empty without categories. */
export function CategoryLinks({ className }: { className: string }) {
  const categories = useCategories();
  if (categories.length === 0) return null;
  return (
    <ul aria-label="Tools" className={className}>
      {categories.map(({ category }) => (
        <li key={category}>
          <Link to={toCategoryPath(category)} className="menu-link">
            {category}
          </Link>
        </li>
      ))}
    </ul>
  );
}
